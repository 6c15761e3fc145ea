import { expect, it } from 'vitest'
import { createDigestFold } from '../../../../../src/main/core/market/digest.ts'
import { hubCalendar } from '../../../../../src/main/core/market/hub-calendar.ts'
import { createHub } from '../../../../../src/main/core/market/hub.ts'
import { createSkew } from '../../../../../src/main/core/recording/measures.ts'
import { createLiveListener } from '../../../../../src/main/core/views/live-listener.ts'
import { scratch } from '../../../../../src/service/codec.ts'
import { decodeStored } from '../../../../../src/service/codecs/decode-stored.ts'
import { instrumentId, monoNs, sessionId, unixMs, type SessionId } from '../../../../../src/shared/base/units.ts'
import { tradeText } from '../../../../kit/market.ts'
import { T0 } from '../store/harness.ts'

const nothing = () => undefined

it('says before which sessions nothing was stored, however many began without a record', () => {
  const recorder = {
    session: null as SessionId | null,
    breaks: 0,
    entry: () => 0,
    state: () => ({ is: 'off' }) as const,
  }
  const hub = createHub({ calendar: hubCalendar })
  const listener = createLiveListener({
    recorder,
    hub,
    fold: createDigestFold(),
    commits: { began: nothing },
    snapshots: { began: nothing, after: nothing },
    skew: createSkew(),
    status: { say: nothing, gapOpened: nothing },
    wallMs: () => unixMs(T0),
    log: nothing,
  })
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
