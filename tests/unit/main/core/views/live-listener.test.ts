import { expect, it } from 'vitest'
import { createDigestFold } from '../../../../../src/main/core/market/digest.ts'
import { hubCalendar } from '../../../../../src/main/core/market/hub-calendar.ts'
import { createHub } from '../../../../../src/main/core/market/hub.ts'
import { createSkew } from '../../../../../src/main/core/recording/measures.ts'
import { createLiveListener, type LiveListenerOptions } from '../../../../../src/main/core/views/live-listener.ts'
import { scratch } from '../../../../../src/service/codec.ts'
import { decodeStored } from '../../../../../src/service/codecs/decode-stored.ts'
import type { Reason } from '../../../../../src/shared/core/status/status.ts'
import { instrumentId, monoNs, sessionId, unixMs, type SessionId } from '../../../../../src/shared/base/units.ts'
import { tradeText } from '../../../../kit/market.ts'
import { T0 } from '../store/harness.ts'

const nothing = () => undefined

const OFF = { session: null, breaks: 0, entry: () => 0, state: () => ({ is: 'off' }) as const }
const listenerOf = (options: Partial<LiveListenerOptions>) =>
  createLiveListener({
    recorder: OFF,
    hub: createHub({ calendar: hubCalendar }),
    fold: createDigestFold(),
    commits: { began: nothing },
    snapshots: { began: nothing, after: nothing },
    skew: createSkew(),
    status: { say: nothing, gapOpened: nothing },
    wallMs: () => unixMs(T0),
    log: nothing,
    ...options,
  })

it('logs a failed attempt once, with what to do, and each problem that no state explains', async () => {
  const lines: string[] = []
  const listener = listenerOf({ log: (level, from, text) => void lines.push(`${level} ${from} ${text}`) })
  const reason = (message: string): Reason => ({ code: 'offline', message, hint: 'Try later.', closeCode: null })
  const fail = (message: string, shown = message): void => {
    listener.problem('stocks/T', reason(message))
    const state = { is: 'waiting', untilMs: unixMs(T0 + lines.length), attempt: 1, why: reason(shown) } as const
    listener.state('stocks/T', state, state)
  }
  fail('No answer.')
  await Promise.resolve()
  fail('No answer.')
  await Promise.resolve()
  expect(lines).toEqual(Array(2).fill('warn feeds Stock trades: No answer. Try later.'))
  lines.length = 0
  // The second connection of a feed, whose state is that of the first; and problems of an open one.
  fail('Closed.', 'No answer.')
  listener.problem('stocks/T', reason('No room for IBM.'))
  await Promise.resolve()
  expect(lines).toEqual([
    'warn feeds Stock trades: No answer. Try later.',
    'warn feeds stocks/T: Closed. Try later.',
    'warn feeds stocks/T: No room for IBM. Try later.',
  ])
})

it('says before which sessions nothing was stored, however many began without a record', () => {
  const recorder = { ...OFF, session: null as SessionId | null }
  const hub = createHub({ calendar: hubCalendar })
  const listener = listenerOf({ recorder, hub })
  const told: string[] = []
  let ended = 0
  hub.onStoredGapsEnded((atMs) => {
    expect(atMs).toBe(T0)
    ended++
  })
  hub.watchFlow(instrumentId('crypto', 'BTC-USD'), {
    trade: () => void told.push('trade'),
    quote: nothing,
    gap: nothing,
    sessionBegan: (start) => void told.push(start),
    swept: nothing,
  })
  const record = scratch()
  const bytes = new TextEncoder().encode(tradeText('BTC-USD', 100, 1, T0))
  const receive = (session: string | null, breaks: number) => {
    recorder.session = session === null ? null : sessionId(session)
    recorder.breaks = breaks
    decodeStored('crypto/XT', 0, bytes, 0, bytes.length, record)
    listener.record('crypto/XT', session === null ? 0 : 1, unixMs(T0), monoNs(0), record)
  }
  receive('one', 1)
  receive('two', 1) // at midnight
  receive('four', 2) // the third had no records, and the fourth began at midnight
  receive(null, 2)
  receive('five', 3)
  const starts = told.filter((one) => one !== 'trade')
  expect(starts).toEqual(['after break', 'at once', 'after break', 'at once', 'after break'])
  expect(ended).toBe(4) // not while nothing is recorded
  expect(told).toEqual(starts.flatMap((one) => [one, 'trade']))
})
