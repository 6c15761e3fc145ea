/**
 * A translation on trial. What a translator puts into the page's storage as `{ tag, messages }` is used from the next
 * start of the window, so a translation can be seen before it is part of the program. `npm run catalog` writes all
 * English texts, which are the keys of `messages`.
 */
import { useLanguage, type Message, type Translation } from '../../shared/base/text.ts'

/** Its key in the page's storage. */
const TRIAL_KEY = 'tapedeck.catalogue'

const isMessage = (value: unknown): value is Message =>
  typeof value === 'string' ||
  (typeof value === 'object' &&
    value !== null &&
    'other' in value &&
    Object.values(value).every((form) => typeof form === 'string'))

/** Reads a translation, leaving out entries that aren't messages. Null: the text isn't a translation. */
export function readCatalogue(text: string): { readonly tag: string; readonly messages: Translation } | null {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || !('tag' in value) || !('messages' in value)) return null
    const { tag, messages } = value
    if (typeof tag !== 'string' || typeof messages !== 'object' || messages === null) return null
    const [known] = Intl.getCanonicalLocales(tag)
    const entries = Object.entries(messages).filter(([, message]) => isMessage(message))
    return known === undefined ? null : { tag: known, messages: Object.fromEntries(entries) }
  } catch {
    return null
  }
}

const stored = globalThis.localStorage?.getItem(TRIAL_KEY) ?? null
const trial = stored === null ? null : readCatalogue(stored)
if (trial !== null) {
  useLanguage(trial.tag, trial.messages)
  globalThis.document.documentElement.lang = trial.tag
}
