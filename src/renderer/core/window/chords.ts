/** Key presses as text, "Ctrl+Shift+F5". Pure. */

export interface KeyPress {
  readonly key: string
  /** Where the key is on the keyboard, as in KeyboardEvent. */
  readonly code?: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly shiftKey?: boolean
}

const SHOWN: Readonly<Record<string, string>> = {
  ' ': 'Space',
  ArrowLeft: '\u2190',
  ArrowRight: '\u2192',
  ArrowUp: '\u2191',
  ArrowDown: '\u2193',
}
const MODIFIERS = new Set(['Control', 'Shift', 'Alt', 'AltGraph', 'Meta', 'OS', 'CapsLock', 'Dead', 'Unidentified'])

/** The key as if Option weren't held: on a Mac, Option changes letters. */
function plainKey(press: KeyPress): string {
  const onKeyboard = /^(?:Key([A-Z])|Digit(\d))$/.exec(press.code ?? '')
  const own = onKeyboard?.[1] ?? onKeyboard?.[2]
  const foreign = press.altKey && own !== undefined && press.key.length === 1 && !/^[\x20-\x7e]$/.test(press.key)
  return foreign ? own : press.key
}

/**
 * The chord of a key press; null while only modifiers are pressed. Ctrl and Cmd count as the same. For a character,
 * Shift only determines which character it is, except for a letter with Ctrl.
 */
export function chordOf(press: KeyPress): string | null {
  if (MODIFIERS.has(press.key) || press.key === '') return null
  const plain = plainKey(press)
  const named = plain.length > 1
  const isCtrl = press.ctrlKey || press.metaKey
  const isShift = press.shiftKey === true && (named || (isCtrl && /^[a-z]$/i.test(plain)))
  const modifiers = `${isCtrl ? 'Ctrl+' : ''}${press.altKey ? 'Alt+' : ''}${isShift ? 'Shift+' : ''}`
  return modifiers + (SHOWN[plain] ?? (named ? plain : plain.toUpperCase()))
}

/** Why a chord can't be assigned to a command. */
export type Unfit = 'types' | 'digit' | 'fixed' | 'browser'

/** Keys with a fixed meaning everywhere. */
const FIXED = new Set(['Escape', 'Tab', 'Shift+Tab', 'Enter', 'Shift+Enter'])
/** Chords that browsers reserve and never pass to a page. */
const BROWSERS = new Set([
  'Ctrl+W',
  'Ctrl+T',
  'Ctrl+N',
  'Ctrl+Shift+W',
  'Ctrl+Shift+T',
  'Ctrl+Shift+N',
  'F11',
  'Ctrl+Tab',
])

/** Why a chord can't be assigned to any command; null if it can. `host`: in a browser, some chords are reserved. */
export function unfitness(chord: string, host: string): Unfit | null {
  if (/^[A-Z]$/.test(chord)) return 'types'
  if (/^\d$/.test(chord)) return 'digit'
  if (FIXED.has(chord)) return 'fixed'
  return host === 'browser' && BROWSERS.has(chord) ? 'browser' : null
}
