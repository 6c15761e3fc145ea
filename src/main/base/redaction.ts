/** Removes secrets from texts in any common encoding. */

/** Shorter texts occur by chance: redacting them would remove words and numbers. */
export const SHORTEST = 6

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** A text as HTML, for content and attribute values. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => HTML[character] ?? character)

/**
 * The base64 of a secret inside a longer text, at each of the three offsets, without the characters that it shares
 * with its neighbors.
 */
function base64Of(secret: string): readonly string[] {
  const bytes = Buffer.from(secret)
  return [0, 1, 2].map((offset) =>
    Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6)),
  )
}

/**
 * A secret in every encoding that a text may contain, longest first: plain, JSON (slashes escaped or not), URL (upper
 * or lower case, or form encoding), HTML, hex, base64 and base64url.
 */
export function encodingsOf(secret: string): readonly string[] {
  const json = JSON.stringify(secret).slice(1, -1)
  const url = encodeURIComponent(secret.toWellFormed())
  const hex = Buffer.from(secret).toString('hex')
  const base64 = [Buffer.from(secret).toString('base64').replace(/=+$/, ''), ...base64Of(secret)]
  const encodings = [
    secret,
    json,
    json.replaceAll('/', '\\/'),
    url,
    url.replaceAll(/%[\dA-F]{2}/g, (code) => code.toLowerCase()),
    url.replaceAll('%20', '+'),
    escapeHtml(secret),
    hex,
    hex.toUpperCase(),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ]
  if (secret === '') return []
  // Encoding a short secret can give a few characters that occur in any text by chance.
  return [...new Set(encodings.filter((text) => text === secret || text.length >= SHORTEST))].sort(
    (a, b) => b.length - a.length,
  )
}

/** Replaces each of `encodings` with `***`; they must be sorted longest first. */
export function redact(text: string, encodings: readonly string[]): string {
  return encodings.reduce((safe, secret) => safe.replaceAll(secret, '***'), text)
}
