/**
 * The texts of the window: one catalogue of keys, English first. A message is a text with `{name}` where
 * a value goes, or one text for each plural form of the language, chosen by the parameter `count`.
 */
import { fill, formOf, speakWith, type Message, type MessageValues, type PluralForms } from '../../shared/base/text.ts'
import { en } from './en.ts'

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

/** Whether the catalogue has a message of this key. */
export const isMessageKey = (key: string): key is MessageKey => Object.hasOwn(en, key)

const form = (message: Message, params: MessageValues): string => formOf(message, params, plurals)
const filled = (text: string, params: MessageValues): string => fill(text, params, digits)

function tell(key: MessageKey, params: MessageValues): string {
  return filled(form(translation[key] ?? en[key], params), params)
}
// What shared code says in this window is said in its language, too.
speakWith((key, english, params) => filled(form((isMessageKey(key) && translation[key]) || english, params), params))

/** The text of a key, with its parameters in it. */
export function say<K extends MessageKey>(key: K, ...[params]: Rest<K>): string {
  return tell(key, params ?? {})
}

/** The text before and after the place `name`, where an element stands in a sentence; other places are filled. */
export function around<K extends MessageKey>(
  key: K,
  name: NamesOf<(typeof en)[K]>,
  params: MessageValues = {},
): readonly [before: string, after: string] {
  const text = form(translation[key] ?? en[key], params)
  const at = text.indexOf(`{${name}}`)
  return at < 0
    ? [filled(text, params), '']
    : [filled(text.slice(0, at), params), filled(text.slice(at + name.length + 2), params)]
}

/** Texts as a list in the language's own way: "a, b, c". Empty ones are left out. */
export function listed(texts: readonly string[], type: 'unit' | 'conjunction' = 'unit'): string {
  return new Intl.ListFormat(language, { type, style: 'long' }).format(texts.filter((text) => text !== ''))
}

/** The text of a key that is made of parts, such as the name of a row of a table; `otherwise` where there is none. */
export function sayIfThere(key: string, otherwise: string): string {
  if (!isMessageKey(key)) return otherwise
  const message = translation[key] ?? en[key]
  return typeof message === 'string' ? message : message.other
}
