/** A language that is English with every letter changed: what still reads as English isn't in the list of texts. */
import { allTexts } from '../../scripts/lib/texts.mjs'
import type { Message } from '../../src/shared/base/text.ts'

const FROM = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const TO = [...'áƀçđéƒǧħíĵķłɱñóþɋŕšŧúṽŵẋýžÁƁÇĐÉƑǦĦÍĴĶŁṀÑÓÞɊŔŠŦÚṼŴẊÝŽ']
const LONGER = 0.35

/** Changed, longer by a third, and between brackets. Places stay. */
export function pseudo(text: string): string {
  const changed = text.replace(/\{\w+\}|./gsu, (part) => (part.length > 1 ? part : (TO[FROM.indexOf(part)] ?? part)))
  const length = text.replace(/\{\w+\}/g, '').length
  return `⟦${changed}${'~'.repeat(Math.ceil(length * LONGER))}⟧`
}

/** A translation of every text, as a translator would try it. */
export function pseudoTranslation(): { readonly tag: string; readonly messages: Record<string, Message> } {
  const messages: Record<string, Message> = {}
  for (const message of allTexts()) {
    if (typeof message === 'string') messages[message] = pseudo(message)
    else messages[message.other] = { other: pseudo(message.other), one: pseudo(message.one ?? message.other) }
  }
  return { tag: 'en-XA', messages }
}
