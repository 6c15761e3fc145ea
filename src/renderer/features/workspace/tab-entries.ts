/** Entries of a tab's context menu. */
import { panesIn } from '../../../shared/features/workspace/document.ts'
import * as edits from '../../../shared/features/workspace/edits.ts'
import { t } from '../../../shared/base/text.ts'
import type { DockState } from './dock.svelte.ts'
import type { WindowState } from '../../core/window/window.svelte.ts'
import type { MenuEntry } from '../../ui/menu-entries.ts'
import { entryKeys } from '../../core/window/entry-keys.ts'
import { popOutPane, toggleFloat } from './dock-acts.ts'

/** Entries for the tab's pane and for the other tabs in its group. `close` closes the pane and shows a toast. */
export function tabEntries(
  app: WindowState,
  dock: DockState,
  id: string,
  close: () => void,
): readonly (MenuEntry | null)[] {
  const docked = panesIn(dock.now.dock).includes(id)
  const others = edits.tabsWith(dock.now, id).filter((one) => one !== id)
  return [
    { text: t('Duplicate'), run: () => dock.duplicate(id) },
    'rule',
    docked
      ? {
          text: dock.now.maximised === null ? t('Maximize') : t('Restore'),
          ...entryKeys(app, 'dock-maximise'),
          run: () => dock.change((now) => edits.toggleMaximised(now, id)),
        }
      : null,
    {
      text: docked ? t('Float') : t('Dock again'),
      run: () => toggleFloat(dock, id),
    },
    {
      text: dock.window === null ? t('Move to new window') : t('Move back to main window'),
      run: () => popOutPane(app, dock, id),
    },
    'rule',
    { text: t('Close'), ...entryKeys(app, 'dock-close'), run: close },
    others.length > 0 ? { text: t('Close other tabs'), run: () => others.forEach((one) => dock.close(one)) } : null,
  ]
}
