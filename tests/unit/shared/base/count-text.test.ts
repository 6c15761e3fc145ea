import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { countText } from '../../../../src/shared/base/count-text.ts'

it.each([
  [0, '0 rows'],
  [1, '1 row'],
  [2, '2 rows'],
  [1_000_001, '1000001 rows'],
])('says what %d counts', (count, text) => {
  expect(countText(count, 'row')).toBe(text)
})

it('takes words that form their plural in another way', () => {
  expect([1, 2].map((n) => countText(n, 'minute agrees', 'minutes agree'))).toEqual([
    '1 minute agrees',
    '2 minutes agree',
  ])
})

/** What the command line counts. */
const COUNTED = 'alerts|blocks|bytes|feeds|files|gaps|lines|messages|minutes|problems|rows|sessions|trades'

it('is how the command line says every count', () => {
  const sources = readdirSync('src/main', { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => /(^|\/)cli\.ts$|^hosts\/cli\/.*\.ts$/.test(name))
  expect(sources.length).toBeGreaterThan(15)
  const bare = sources.flatMap((name) =>
    [...readFileSync(`src/main/${name}`, 'utf8').matchAll(new RegExp(`\\$\\{[^}]*\\} (${COUNTED})\\b(?!/s)`, 'g'))].map(
      ([text]) => `${name}: ${text}`,
    ),
  )
  expect(bare).toEqual([])
})
