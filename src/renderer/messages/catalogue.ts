/**
 * The texts of the window: one catalogue of keys, English first. A message is a text with `{name}` where
 * a value goes, or one text for each plural form of the language, chosen by the parameter `count`.
 */
import { en } from './en.ts'

/** Forms by what Intl.PluralRules calls them; `other` is always there. */
export type PluralForms = { readonly other: string } & Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>
export type Message = string | PluralForms

type Names<T extends string> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never
type NamesOf<M> = M extends string
  ? Names<M>
  : M extends PluralForms
    ? 'count' | Names<Extract<M[keyof M], string>>
    : never

export type MessageKey = keyof typeof en
/** What the message of a key wants to know. */
export type MessageParams<K extends MessageKey> = Readonly<Record<NamesOf<(typeof en)[K]>, string | number>>
/** Keys of messages that are the same whatever happens. */
export type PlainKey = { [K in MessageKey]: [NamesOf<(typeof en)[K]>] extends [never] ? K : never }[MessageKey]
type Rest<K extends MessageKey> = [NamesOf<(typeof en)[K]>] extends [never] ? [] : [params: MessageParams<K>]

/** A catalogue of another language; what it lacks is shown in English. */
export type Translation = Readonly<Partial<Record<MessageKey, Message>>>

let language = 'en'
let translation: Translation = {}
let plurals = new Intl.PluralRules('en')
let digits = new Intl.NumberFormat('en')

/**
 * Chooses the language of every text made from now on; texts that were made stay as they are, so it is
 * for the start of a window. `tag` is BCP 47.
 */
export function useLanguage(tag: string, messages: Translation = {}): void {
  language = tag
  translation = messages
  plurals = new Intl.PluralRules(tag)
  digits = new Intl.NumberFormat(tag)
}

/** BCP 47 tag of the language in use. */
export const languageTag = (): string => language

const isKey = (key: string): key is MessageKey => Object.hasOwn(en, key)

function formOf(message: Message, params: Readonly<Record<string, string | number>>): string {
  if (typeof message === 'string') return message
  const count = Number(params['count'])
  return message[plurals.select(Number.isFinite(count) ? count : 0)] ?? message.other
}

/** Fills a text's places; a number is written in the language's digits, a name without a value stays as it is. */
export function fill(text: string, params: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) => {
    const value = params[name]
    if (value === undefined) return place
    return typeof value === 'number' ? digits.format(value) : value
  })
}

/** The text of a key, with its parameters in it. */
export function say<K extends MessageKey>(key: K, ...[params]: Rest<K>): string {
  const given: Readonly<Record<string, string | number>> = params ?? {}
  return fill(formOf(translation[key] ?? en[key], given), given)
}

/** The text of a key that is made of parts, such as the name of a row of a table; `otherwise` where there is none. */
export function sayIfThere(key: string, otherwise: string): string {
  if (!isKey(key)) return otherwise
  const message = translation[key] ?? en[key]
  return typeof message === 'string' ? message : message.other
}
