/** What the system offers beside the app's icon before a window is there: the jump list of Windows, the dock's menu. */
import type { Task } from 'electron'
import { LINK_SCHEME, parseLink, type Ask } from '../../../../shared/features/desktop/requests.ts'

interface Offer {
  readonly title: string
  readonly about: string
  /** The one word of the command line that does it. */
  readonly word: string
}

const OFFERS: readonly Offer[] = [
  { title: 'Sessions', about: 'Show recorded sessions', word: `${LINK_SCHEME}//sessions` },
  { title: 'Settings', about: 'Open the settings', word: `${LINK_SCHEME}//settings` },
  { title: 'Start in safe mode', about: 'Default panes and theme, no sounds', word: '--safe-mode' },
]

/** The tasks of Windows' jump list: each starts the program, or speaks to the one that runs. */
export function userTasks(program: string): Task[] {
  return OFFERS.map(({ title, about, word }) => ({
    program,
    arguments: word,
    title,
    description: about,
    iconPath: program,
    iconIndex: 0,
  }))
}

/** The dock's menu is of an app that runs: what only a start can do is not in it. */
export function dockMenu(ask: (ask: Ask) => void): { readonly label: string; readonly click: () => void }[] {
  return OFFERS.flatMap(({ title, word }) => {
    const asked = parseLink(word)
    return asked === null ? [] : [{ label: title, click: () => ask(asked) }]
  })
}
