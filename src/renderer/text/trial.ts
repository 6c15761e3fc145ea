/**
 * A catalogue on trial. What a translator puts into the storage of the page, as `{ tag, messages }`, is spoken from
 * the next start of the window on, over the English one: a translation can be seen before it is part of the program.
 */
import type { Message } from '../../shared/base/text.ts'
import { isMessageKey, useLanguage, type Translation } from './catalogue.ts'

/** Where it is kept. */
export const TRIAL_KEY = 'tapedeck.catalogue'

const isMessage = (value: unknown): value is Message =>
  typeof value === 'string' ||
  (typeof value === 'object' &&
    value !== null &&
    'other' in value &&
    Object.values(value).every((form) => typeof form === 'string'))

/** Reads a catalogue: keys that are not known, and what is no message, are left out. Null: it is none. */
export function readCatalogue(text: string): { readonly tag: string; readonly messages: Translation } | null {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || !('tag' in value) || !('messages' in value)) return null
    const { tag, messages } = value
    if (typeof tag !== 'string' || typeof messages !== 'object' || messages === null) return null
    const [known] = Intl.getCanonicalLocales(tag)
    const kept = Object.entries(messages).filter(([key, message]) => isMessageKey(key) && isMessage(message))
    return known === undefined ? null : { tag: known, messages: Object.fromEntries(kept) }
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
