/**
 * Texts that windows and everything without a window (log, notifications, command line) both say. They are written
 * here in English; a window's catalogue takes them in and says them in its own language (`speakWith`).
 */
import { ALERT_TEXTS } from '../features/alerts/texts.ts'
import { DRAWING_TEXTS } from '../features/drawings/texts.ts'
import { EXPORTING_TEXTS } from '../features/export/texts.ts'
import { GAP_TEXTS } from '../core/status/gap-texts.ts'
import { WORKSPACE_TEXTS } from '../features/workspace/texts.ts'

/** Forms by what Intl.PluralRules calls them; `other` is always there. */
export type PluralForms = { readonly other: string } & Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>
/** A text with `{name}` where a value goes, or one for each plural form of the parameter `count`. */
export type Message = string | PluralForms
export type MessageValues = Readonly<Record<string, string | number>>

/** The texts by key. */
export const PHRASES = {
  ...ALERT_TEXTS,
  ...DRAWING_TEXTS,
  ...EXPORTING_TEXTS,
  ...GAP_TEXTS,
  ...WORKSPACE_TEXTS,
} as const
export type PhraseKey = keyof typeof PHRASES

const ENGLISH = { plurals: new Intl.PluralRules('en'), digits: new Intl.NumberFormat('en') }
type Speaker = (key: PhraseKey, values: MessageValues) => string

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

let speaker: Speaker = (key, values) => fill(formOf(PHRASES[key], values), values)

/** Says every text of this table by `next` from now on: for the start of a window. */
export function speakWith(next: Speaker): void {
  speaker = next
}

/** A text of the table with its values in it. */
export const phrase = (key: PhraseKey, values: MessageValues = {}): string => speaker(key, values)
