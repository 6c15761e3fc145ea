/**
 * Limits how deep untrusted JSON may nest. A parser spends about sixty bytes on each open bracket, so a text of
 * nothing but brackets costs far more memory than its length.
 */

/** Nested lists and objects. Responses of the service and Tapedeck's own files have fewer than ten levels. */
export const MAX_JSON_DEPTH = 64

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** Whether a JSON text nests deeper than `MAX_JSON_DEPTH`. Doesn't check whether it is valid. */
export function nestsTooDeep(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at)
        if (at < 0) return false // never closed: a parser stops here
        break
      case OPEN_LIST:
      case OPEN_OBJECT:
        depth += 1
        if (depth > MAX_JSON_DEPTH) return true
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth -= 1
    }
  }
  return false
}

/** The index of the quote that closes the string opened at `from`, or -1. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at - 1
    while (text.charCodeAt(before) === BACKSLASH) before -= 1
    if ((at - before) % 2 === 1) return at // an even number of backslashes escapes only themselves
  }
  return -1
}

/** `JSON.parse` for untrusted text. Throws a `SyntaxError` if the text is invalid or nests too deep. */
export function parseBoundedJson(text: string): unknown {
  if (nestsTooDeep(text)) throw new SyntaxError(`JSON nests deeper than ${MAX_JSON_DEPTH} levels`)
  return JSON.parse(text) as unknown
}
