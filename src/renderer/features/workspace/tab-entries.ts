/** What a right click on a tab offers. */
import { panesIn } from '../../../shared/features/workspace/document.ts'
import * as edits from '../../../shared/features/workspace/edits.ts'
import { say } from '../../text/catalogue.ts'
import type { WindowState } from '../../core/window/window.svelte.ts'
import type { MenuEntry } from '../../ui/menu-entries.ts'
import { entryKeys } from '../../core/window/entry-keys.ts'
import { popOutPane, toggleFloat } from './dock-acts.ts'

/** The tab's pane, and those that share its place; `close` closes the pane and says so. */
export function tabEntries(app: WindowState, id: string, close: () => void): readonly (MenuEntry | null)[] {
  const { dock } = app
  const docked = panesIn(dock.now.dock).includes(id)
  const others = edits.tabsWith(dock.now, id).filter((one) => one !== id)
  return [
    { text: say('dock.duplicate'), run: () => dock.duplicate(id) },
    'rule',
    docked
      ? {
          text: dock.now.maximised === null ? say('dock.maximise') : say('dock.restore'),
          ...entryKeys(app, 'dock-maximise'),
          run: () => dock.change((now) => edits.toggleMaximised(now, id)),
        }
      : null,
    {
      text: docked ? say('dock.float-above-others') : say('dock.put-back-among-others'),
      run: () => toggleFloat(app, id),
    },
    {
      text: dock.window === null ? say('dock.into-window-own') : say('dock.back-into-main-window'),
      run: () => popOutPane(app, id),
    },
    'rule',
    { text: say('dock.close'), ...entryKeys(app, 'dock-close'), run: close },
    others.length > 0
      ? { text: say('dock.close-other-tabs'), run: () => others.forEach((one) => app.closePane(one)) }
      : null,
  ]
}
