/**
 * Text that people read. The English text is its own key: `t('{count} rows', { count })`. A translation is a map from
 * English texts to those of another language, chosen once, before anything is shown.
 */

/** Plural forms by their category in Intl.PluralRules. `other` is required, and is the key. */
export type PluralForms = { readonly other: string } & Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>
/** A text with `{name}` placeholders, or one text for each plural form of the parameter `count`. */
export type Message = string | PluralForms
export type MessageValues = Readonly<Record<string, string | number>>
/** Messages of another language by their English text; what it lacks is shown in English. */
export type Translation = Readonly<Record<string, Message>>

type Names<T extends string> = string extends T
  ? never
  : T extends `${string}{${infer Name}}${infer Rest}`
    ? Name | Names<Rest>
    : never
type NamesOf<M extends Message> = M extends string
  ? Names<M>
  : M extends PluralForms
    ? 'count' | Names<Extract<M[keyof M], string>>
    : never
type Values<M extends Message> = [NamesOf<M>] extends [never]
  ? []
  : [values: Readonly<Record<NamesOf<M>, string | number>>]

interface Language {
  readonly tag: string
  readonly messages: ReadonlyMap<string, Message>
  readonly plurals: Intl.PluralRules
  readonly digits: Intl.NumberFormat
}
const languageOf = (tag: string, messages: Translation): Language => ({
  tag,
  messages: new Map(Object.entries(messages)),
  plurals: new Intl.PluralRules(tag),
  digits: new Intl.NumberFormat(tag),
})
let language = languageOf('en', {})

/**
 * Chooses the language of every text made from now on. Texts that exist stay as they are, so call it before a window
 * draws. `tag` is BCP 47.
 */
export function useLanguage(tag: string, messages: Translation = {}): void {
  language = languageOf(tag, messages)
}

/** BCP 47 tag of the language in use. */
export const languageTag = (): string => language.tag

function translated(message: Message, values: MessageValues): string {
  const inLanguage = language.messages.get(typeof message === 'string' ? message : message.other) ?? message
  if (typeof inLanguage === 'string') return inLanguage
  const count = Number(values['count'])
  return inLanguage[language.plurals.select(Number.isFinite(count) ? count : 0)] ?? inLanguage.other
}

/** Fills the placeholders of a text. Numbers use the language's format; placeholders without a value stay. */
function fill(text: string, values: MessageValues): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) => {
    const value = values[name]
    if (value === undefined) return place
    return typeof value === 'number' ? language.digits.format(value) : value
  })
}

/** A message in the user's language, with its placeholders filled. */
export function t<const M extends Message>(message: M, ...[values]: Values<M>): string {
  return fill(translated(message, values ?? {}), values ?? {})
}

/** Returns a function that looks up a message of this table by its key, for keys that are computed. */
export const labelsOf =
  <const T extends Readonly<Record<string, Message>>>(table: T) =>
  <K extends keyof T & string>(key: K, ...[values]: Values<T[K]>): string =>
    fill(translated(table[key], values ?? {}), values ?? {})

/** The text before and after the placeholder `name`, where an element stands in a sentence. The others are filled. */
export function around<const M extends Message>(
  message: M,
  name: NamesOf<M>,
  values: MessageValues = {},
): readonly [before: string, after: string] {
  const text = translated(message, values)
  const at = text.indexOf(`{${name}}`)
  return at < 0
    ? [fill(text, values), '']
    : [fill(text.slice(0, at), values), fill(text.slice(at + name.length + 2), values)]
}

/** Texts as a list in the language's own way: "a, b, c". Empty ones are left out. */
export function listed(texts: readonly string[], type: 'unit' | 'conjunction' = 'unit'): string {
  return new Intl.ListFormat(language.tag, { type, style: 'long' }).format(texts.filter((text) => text !== ''))
}
