/**
 * Texts that windows and everything without a window (log, notifications, command line) both write. Each owner has a
 * table of them in English; a window's catalog has the same keys in its own language (`speakWith`).
 */

/** Plural forms by their category in Intl.PluralRules. `other` is required. */
export type PluralForms = { readonly other: string } & Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>
/** A text with `{name}` placeholders, or one text for each plural form of the parameter `count`. */
export type Message = string | PluralForms
export type MessageValues = Readonly<Record<string, string | number>>

const ENGLISH = { plurals: new Intl.PluralRules('en'), digits: new Intl.NumberFormat('en') }
type Speaker = (key: string, english: Message, values: MessageValues) => string

/** The plural form of a message for its `count`. */
export function formOf(message: Message, values: MessageValues, plurals = ENGLISH.plurals): string {
  if (typeof message === 'string') return message
  const count = Number(values['count'])
  return message[plurals.select(Number.isFinite(count) ? count : 0)] ?? message.other
}

/** Fills the placeholders of a text. Numbers use the language's format; placeholders without a value stay. */
export function fill(text: string, values: MessageValues, digits = ENGLISH.digits): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) => {
    const value = values[name]
    if (value === undefined) return place
    return typeof value === 'number' ? digits.format(value) : value
  })
}

let speaker: Speaker = (_key, english, values) => fill(formOf(english, values), values)

/** Makes `next` write the texts of every table from now on. Called when a window starts. */
export function speakWith(next: Speaker): void {
  speaker = next
}

/** Returns a function that looks up a text of this table and fills its placeholders. */
export const phrasesOf =
  <T extends Readonly<Record<string, Message>>>(table: T) =>
  (key: keyof T & string, values: MessageValues = {}): string =>
    speaker(key, table[key], values)
