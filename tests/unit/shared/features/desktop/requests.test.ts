import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseLink } from '../../../../../src/shared/features/desktop/requests.ts'

describe('links', () => {
  test.each([
    ['tapedeck://sessions', { do: 'command', id: 'sessions' }],
    ['tapedeck://Sessions/', { do: 'command', id: 'sessions' }],
    ['tapedeck://symbol/BTC-USD', { do: 'symbol', symbol: 'BTC-USD', interval: null }],
    ['tapedeck://symbol/btc-usd?interval=5m', { do: 'symbol', symbol: 'BTC-USD', interval: '5m' }],
    ['tapedeck://symbol/BRK.B?interval=7y', { do: 'symbol', symbol: 'BRK.B', interval: null }],
    [
      'tapedeck://replay/01m7ypfdd3djg85e44twawvswv',
      { do: 'replay', session: '01m7ypfdd3djg85e44twawvswv', atMs: null },
    ],
    ['tapedeck://replay/01m7ypfd?at=1700000000000', { do: 'replay', session: '01m7ypfd', atMs: 1_700_000_000_000 }],
    ['tapedeck://replay/01m7ypfd?at=-1', { do: 'replay', session: '01m7ypfd', atMs: null }],
  ])('%s', (link, ask) => {
    expect(parseLink(link)).toEqual(ask)
  })

  test.each([
    '',
    'tapedeck:',
    'tapedeck://',
    'tapedeck://toString',
    'tapedeck://__proto__',
    'tapedeck://sessions/../settings',
    'tapedeck://symbol/',
    'tapedeck://symbol/%3Cscript%3E',
    'tapedeck://symbol/../../etc/passwd',
    'tapedeck://replay/..%2f..%2fx',
    'tapedeck://user:secret@sessions',
    'tapedeck://sessions:80',
    'https://sessions',
    'javascript:alert(1)',
    `tapedeck://symbol/${'A'.repeat(600)}`,
    '--remote-debugging-port=1',
  ])('%s asks for nothing', (link) => {
    expect(parseLink(link)).toBeNull()
  })

  test('no text makes it throw or name more than the tables do', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.webUrl(),
          fc.string().map((rest) => `tapedeck://${rest}`),
        ),
        (text) => {
          const ask = parseLink(text)
          if (ask?.do === 'symbol') expect(ask.symbol).toMatch(/^[A-Z0-9][A-Z0-9.:_-]{0,31}$/)
          if (ask?.do === 'replay') expect(ask.session).toMatch(/^[0-9a-z_-]{4,64}$/)
          if (ask?.do === 'command') expect(ask.id).toMatch(/^[a-z]+$/)
        },
      ),
      { numRuns: 2_000 },
    )
  })
})
