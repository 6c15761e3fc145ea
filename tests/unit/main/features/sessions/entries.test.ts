import { expect, it } from 'vitest'
import { decodeEntries } from '../../../../../src/main/features/sessions/meta.ts'
import { encodeEntries } from '../../../../../src/main/core/store/format/entry-codec.ts'
import type { LedgerEntry } from '../../../../../src/shared/core/recording/session.ts'
import { unixMs } from '../../../../../src/shared/base/units.ts'

const feed = 'crypto/XT'
const symbols = ['BTC-USD']
/** One of every type, as the recorder writes them. */
const ENTRIES: readonly LedgerEntry[] = [
  { type: 'state', feed, conn: 0, state: 'connecting' },
  { type: 'connecting', feed, conn: 1 },
  { type: 'connected', feed, conn: 1 },
  { type: 'state', feed, conn: 1, state: 'open' },
  { type: 'subscribe', feed, conn: 1, symbols },
  { type: 'acknowledged', feed, conn: 1, symbols },
  { type: 'unsubscribe', feed, conn: 1, symbols },
  { type: 'released', feed, conn: 1, symbols },
  { type: 'gap-open', feed, cause: 'drop', symbols: [], fromMs: unixMs(1), skewMs: -2.5 },
  { type: 'gap-open', feed, cause: 'quit', symbols: [], fromMs: unixMs(1) },
  { type: 'gap-close', feed, openedSeq: 9 },
  { type: 'oversize', feed, conn: 1, limitBytes: 5 },
  { type: 'clock', shiftMs: -700 },
  { type: 'digest', minuteMs: unixMs(60_000), sha256: 'ab'.repeat(32), fold: 1 },
  { type: 'disconnected', feed, conn: 1, closeCode: 0, reason: '' },
]

it('takes every entry that a recording can hold', async () => {
  const rows = ENTRIES.map((entry, i) => ({
    seq: i + 1,
    wallMs: 1_000 + i,
    monoNs: i * 1_000,
    body: JSON.stringify(entry),
  }))
  const back = await decodeEntries(encodeEntries(rows))
  expect(back.map(({ entry }) => entry)).toEqual(ENTRIES)
})

it.each([
  '{"type":"state","feed":"crypto/XT","conn":-1,"state":"idle"}',
  '{"type":"connected","feed":"crypto/XT","conn":0}',
  '{"type":"nothing"}',
  '{ "type":"clock","shiftMs":1}',
])('refuses %s', async (body) => {
  await expect(decodeEntries(encodeEntries([{ seq: 1, wallMs: 1, monoNs: 1, body }]))).rejects.toThrow(
    /an entry changed since it was written/,
  )
})
