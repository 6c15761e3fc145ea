/** Windows' jump list and the macOS dock menu. */
import type { Task } from 'electron'
import { LINK_SCHEME, parseLink, type Ask } from '../../../../shared/features/desktop/requests.ts'

interface Offer {
  readonly title: string
  readonly about: string
  /** The command line argument that does it. */
  readonly word: string
}

const OFFERS: readonly Offer[] = [
  { title: 'Sessions', about: 'Show recorded sessions', word: `${LINK_SCHEME}//sessions` },
  { title: 'Settings', about: 'Open the settings', word: `${LINK_SCHEME}//settings` },
  { title: 'Start in safe mode', about: 'Default panes and theme, no sounds', word: '--safe-mode' },
]

/** The tasks of Windows' jump list. Each starts the program or reaches the running instance. */
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

/** The dock menu. The app is already running, so it leaves out tasks that only a start can do. */
export function dockMenu(ask: (ask: Ask) => void): { readonly label: string; readonly click: () => void }[] {
  return OFFERS.flatMap(({ title, word }) => {
    const asked = parseLink(word)
    return asked === null ? [] : [{ label: title, click: () => ask(asked) }]
  })
}
