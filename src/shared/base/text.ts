/**
 * Texts that windows and everything without a window (log, notifications, command line) both write. Each owner has a
 * table of them in English; a window's catalog has the same keys in its own language (`speakWith`).
 */

/** Forms by what Intl.PluralRules calls them; `other` is always there. */
export type PluralForms = { readonly other: string } & Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>
/** A text with `{name}` where a value goes, or one for each plural form of the parameter `count`. */
export type Message = string | PluralForms
export type MessageValues = Readonly<Record<string, string | number>>

const ENGLISH = { plurals: new Intl.PluralRules('en'), digits: new Intl.NumberFormat('en') }
type Speaker = (key: string, english: Message, values: MessageValues) => string

/** The form of a message that its `count` asks for. */
export function formOf(message: Message, values: MessageValues, plurals = ENGLISH.plurals): string {
  if (typeof message === 'string') return message
  const count = Number(values['count'])
  return message[plurals.select(Number.isFinite(count) ? count : 0)] ?? message.other
}

/** Fills a text's places; a number is written in the language's digits, a name without a value stays as it is. */
export function fill(text: string, values: MessageValues, digits = ENGLISH.digits): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) => {
    const value = values[name]
    if (value === undefined) return place
    return typeof value === 'number' ? digits.format(value) : value
  })
}

let speaker: Speaker = (_key, english, values) => fill(formOf(english, values), values)

/** Writes the texts of every table by `next` from now on: for the start of a window. */
export function speakWith(next: Speaker): void {
  speaker = next
}

/** Returns a function that gives a text of this table with its values in it. */
export const phrasesOf =
  <T extends Readonly<Record<string, Message>>>(table: T) =>
  (key: keyof T & string, values: MessageValues = {}): string =>
    speaker(key, table[key], values)
