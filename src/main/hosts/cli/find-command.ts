/** Decides whether the app's arguments are for the command line or the window. */
import { LINK_SCHEME } from '../../../shared/features/desktop/requests.ts'
import { WINDOW_OPTIONS } from './window-options.ts'
import { COMMANDS, COMMON_OPTIONS } from './table.ts'

/** Options that only the command line has. */
const COMMAND_LINE_ONLY = new Set(
  ['-h', '-V', '-q', ...Object.keys(COMMON_OPTIONS).map((name) => `--${name}`)].filter(
    (word) => !Object.hasOwn(WINDOW_OPTIONS, word.slice(2)),
  ),
)

/**
 * The command line within `words`, from its first word on; null: they ask for the window. A command, an option of
 * the command line alone and a word that is neither a file nor a link belong to the command line, which refuses
 * what it does not know: a typo never opens a window. Switches of the engine before a command are left out.
 */
export function findCommandLine(words: readonly string[], isFile: (word: string) => boolean): readonly string[] | null {
  /** Index of the first window option: before a command it is refused, not dropped. */
  let ours: number | undefined
  for (let i = 0; i < words.length; i++) {
    const word = words[i]
    const name = word.split('=', 1)[0]
    if (COMMAND_LINE_ONLY.has(name)) return words.slice(ours ?? i)
    const option = name.startsWith('--') ? WINDOW_OPTIONS[name.slice(2)] : undefined
    if (option !== undefined) {
      ours ??= i
      if (option.type === 'string' && word === name) i++ // Its value is the next word.
      continue
    }
    if (word.startsWith('-') || word === '' || opensInWindow(word, isFile)) continue
    return words.slice(ours ?? i)
  }
  return null
}

/** Whether a word is something a window opens. A command's name is never taken for a file. */
const opensInWindow = (word: string, isFile: (word: string) => boolean): boolean =>
  !isCommand(word) &&
  (word.toLowerCase().startsWith(LINK_SCHEME) || word.toLowerCase().endsWith('.tapedeck') || isFile(word))

const isCommand = (word: string): boolean => word === 'help' || COMMANDS.some(({ name }) => name === word)
