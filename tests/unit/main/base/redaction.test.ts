import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodingsOf, redact, SHORTEST } from '../../../../src/main/base/redaction.ts'

const KEY = `k/y+${'é'}&<a> "quoted" 100% \\ key`

describe('a secret in a text', () => {
  it.each([
    ['as it is', KEY],
    ['in JSON', JSON.stringify({ key: KEY })],
    ['in JSON with escaped slashes', JSON.stringify({ key: KEY }).replaceAll('/', '\\/')],
    ['in a URL', `https://example.test/?key=${encodeURIComponent(KEY)}`],
    ['in a URL in lower case', encodeURIComponent(KEY).replaceAll(/%../g, (code) => code.toLowerCase())],
    ['in a form', encodeURIComponent(KEY).replaceAll('%20', '+')],
    ['in HTML', KEY.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')],
    ['in hex', Buffer.from(KEY).toString('hex')],
    ['in HEX', Buffer.from(KEY).toString('hex').toUpperCase()],
  ])('is taken out %s', (_name, text) => {
    const safe = redact(`before ${text} after`, encodingsOf(KEY))
    expect(safe).toContain('***')
    expect(safe.length).toBeLessThan(text.length)
    for (const encoding of encodingsOf(KEY)) expect(safe).not.toContain(encoding)
  })

  it('is taken out of base64, wherever in the encoded text it stands', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 0, maxLength: 9 }),
        fc.string({ minLength: 12, maxLength: 40 }),
        fc.string({ maxLength: 9 }),
        fc.constantFrom('base64', 'base64url'),
        (before, secret, after, encoding) => {
          const text = Buffer.from(before + secret + after).toString(encoding)
          expect(redact(text, encodingsOf(secret))).toContain('***')
        },
      ),
    )
  })

  it('leaves every other text as it is', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        expect(redact(text, encodingsOf('0123456789abcdef0123456789abcdef'))).toBe(text)
      }),
    )
  })

  it('has no encodings so short that they stand in a text by chance', () => {
    for (const encoding of encodingsOf('a"b')) expect(encoding === 'a"b' || encoding.length >= SHORTEST).toBe(true)
  })
})
