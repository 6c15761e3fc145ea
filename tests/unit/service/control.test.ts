import { describe, expect, test } from 'vitest'
import {
  encodeAcknowledgement,
  encodeClient,
  encodeError,
  parseClient,
  parseControl,
} from '../../../src/service/control.ts'

describe('client messages', () => {
  test('are upper case ASCII, each ticker once', () => {
    expect(encodeClient('subscribe', ['btc-usd', 'BTC-USD', 'straße'])).toBe(
      '{"action":"subscribe","tickers":["BTC-USD","STRAßE"]}',
    )
    expect(encodeClient('unsubscribe', ['A'])).toBe('{"action":"unsubscribe","tickers":["A"]}')
  })

  test('are never empty', () => {
    expect(() => encodeClient('subscribe', [])).toThrow(RangeError)
    expect(() => encodeClient('subscribe', [''])).toThrow(RangeError)
  })

  test('are read as the service reads them', () => {
    expect(parseClient('{"action":"subscribe","tickers":["btc-usd"]}')).toEqual({
      action: 'subscribe',
      tickers: ['BTC-USD'],
    })
    for (const text of [
      'x',
      '[]',
      'null',
      '{}',
      '{"action":"Subscribe","tickers":["A"]}',
      '{"action":"subscribe"}',
      '{"action":"subscribe","tickers":[]}',
      '{"action":"subscribe","tickers":"A"}',
      '{"action":"subscribe","tickers":[1]}',
      '{"action":"subscribe","tickers":[""]}',
      '{"__proto__":{"action":"subscribe","tickers":["A"]}}',
    ]) {
      expect(parseClient(text), text).toBeTypeOf('string')
    }
  })
})

describe('server control', () => {
  test.each([
    [encodeAcknowledgement('subscribe', ['A', 'B']), { kind: 'acknowledged', tickers: ['A', 'B'] }],
    [encodeAcknowledgement('unsubscribe', ['A']), { kind: 'released', tickers: ['A'] }],
    ['{"type":"subscribed","tickers":[],"at":1}', { kind: 'acknowledged', tickers: [] }],
    [encodeError('unknown_feed', 'no'), { kind: 'error', code: 'unknown_feed', message: 'no' }],
    ['{"message":"no","code":"x"}', { kind: 'error', code: 'x', message: 'no' }],
  ])('%s', (text, expected) => {
    expect(parseControl(text)).toEqual(expected)
  })

  test.each(['{"type":"subscribed"}', '{"type":"unsubscribed","tickers":[1]}', '{"type":"subscribed","tickers":"A"}'])(
    '%s is control, but nothing may be concluded from it',
    (text) => {
      expect(parseControl(text)?.kind).toBe('malformed')
    },
  )

  test.each([
    '{"type":"Subscribed","tickers":["A"]}',
    '{"type":"trade"}',
    '{"code":"x"}',
    '{"code":"x","message":"y","more":1}',
    '{"code":1,"message":"y"}',
    '{"type":"x","code":"x","message":"y"}',
    '{"__proto__":{"type":"subscribed"}}',
    '[{"type":"subscribed","tickers":[]}]',
    'null',
    '',
  ])('%s is not control', (text) => {
    expect(parseControl(text)).toBeUndefined()
  })
})
