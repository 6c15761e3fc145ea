/** A language that is English with every letter changed: what still reads as English did not come from the catalogue. */
import { en } from '../../src/renderer/text/en.ts'
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

/** The whole catalogue, as a translator would try it. */
export function pseudoCatalogue(): { readonly tag: string; readonly messages: Record<string, Message> } {
  const messages: Record<string, Message> = {}
  for (const [key, message] of Object.entries<Message>(en))
    // What a setting is also called is typed, not read.
    messages[key] =
      key.startsWith('setting.') && key.endsWith('.words')
        ? message
        : typeof message === 'string'
          ? pseudo(message)
          : { other: pseudo(message.other), one: pseudo(message.one ?? message.other) }
  return { tag: 'en-XA', messages }
}
