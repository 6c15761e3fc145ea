/** Flushes for the tests of frames: committed like the store's writer commits them, from random or given messages. */
import fc from 'fast-check'
import { entryRow } from '../../../../../../src/main/core/store/format/ledger.ts'
import { LeafHasher } from '../../../../../../src/main/core/store/format/leaves.ts'
import type { Batch } from '../../../../../../src/main/core/store/types/messages.ts'
import {
  advanceHeads,
  encodeFlushes,
  type EncodeOptions,
} from '../../../../../../src/main/features/team/frame/encode.ts'
import { newChain, type ChainHeads, type CommittedFlush } from '../../../../../../src/main/features/team/frame/frame.ts'
import type { WireMessage } from '../../../../../../src/main/features/team/frame/parts.ts'
import type { FrameResult } from '../../../../../../src/main/features/team/frame/refusal.ts'
import type { LedgerEntry } from '../../../../../../src/shared/core/recording/session.ts'
import { sessionId, unixMs } from '../../../../../../src/shared/base/units.ts'
import { tradeText } from '../../../../../kit/market.ts'
import { T0, Writer, type Item } from '../../../core/store/harness.ts'

export const SESSION = sessionId('01khj7x0a0abcdefghjkmnpqrs')
export const NONE: ChainHeads = new Map()
export const FEEDS = ['crypto/XT', 'crypto/XQ', 'stocks/T'] as const

/** Computes the leaves of batches, one after another from `heads`. */
export function commit(batches: readonly Batch[], heads: ChainHeads = NONE, session = SESSION): CommittedFlush[] {
  const hasher = new LeafHasher()
  let now = heads
  return batches.map((batch) => {
    const announced = new Map((batch.connections ?? []).map(({ conn, feed }) => [conn, newChain(session, conn, feed)]))
    const headOf = (conn: number): Uint8Array =>
      (now.get(conn) ?? announced.get(conn) ?? newChain(session, conn, '')).head
    const flush = { batch, leaves: hasher.leaves(batch.messages, batch.entries.map(entryRow), headOf) }
    now = advanceHeads(session, now, [flush])
    return flush
  })
}

/** Flushes of these items from the start of a session. */
export function flushesOf(items: readonly (readonly Item[])[], session = SESSION): CommittedFlush[] {
  const writer = new Writer(FEEDS)
  return commit(
    items.map((flush) => writer.batch(flush)),
    NONE,
    session,
  )
}

export const OPTIONS: EncodeOptions = { session: SESSION, epoch: 7, heads: NONE, maxPayload: 1 << 20 }

export function valueOf<T>(result: FrameResult<T>): T {
  if (!result.ok) throw new Error(`${result.refusal.code}: ${result.refusal.message}`)
  return result.value
}

export const codeOf = (result: FrameResult<unknown>): string => (result.ok ? 'accepted' : result.refusal.code)

export const encode = (flushes: readonly CommittedFlush[], options: Partial<EncodeOptions> = {}): WireMessage[] => [
  ...valueOf(encodeFlushes({ ...OPTIONS, ...options }, flushes)).messages,
]

/** The only frame of these flushes. */
export function frameOf(flushes: readonly CommittedFlush[], options: Partial<EncodeOptions> = {}): Uint8Array {
  const [message, ...more] = encode(flushes, { maxPayload: 1 << 30, bundleBytes: 1 << 30, ...options })
  if (message === undefined || more.length > 0) throw new Error('not one frame')
  return message.bytes
}

/** `count` trades on two connections with a subscription in between. */
export const trades = (count: number, pair = 'BTC-USD'): Item[] =>
  Array.from({ length: count }, (_, i) => ({
    conn: 1 + (i % 2),
    data: tradeText(pair, 64_000 + ((i * 37) % 101) / 100, ((i * 7) % 13) / 100 + 0.01, T0 + i * 3),
  }))

const feed = 'crypto/XT'
const ENTRIES: readonly LedgerEntry[] = [
  { type: 'connecting', feed, conn: 1 },
  { type: 'subscribe', feed, conn: 1, symbols: ['BTC-USD', '\u{1f98a} “ü”\u0000\n'] },
  { type: 'gap-open', feed, cause: 'drop', symbols: [], fromMs: unixMs(T0) },
  { type: 'disconnected', feed, conn: 1, closeCode: 1006, reason: '\ud800 alone, \\" and \u2028' },
  { type: 'clock', shiftMs: -0.1 },
]

const oddText = fc
  .constantFrom('', '\u0000', 'é', '\u{1f98a}', '\u2028', '{"p":1e-05}', '\uffff', 'a\nb')
  .map((text) => Buffer.from(text))
const data = fc.oneof(
  fc.uint8Array({ maxLength: 40, size: 'max' }),
  oddText,
  fc.constantFrom([0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xff, 0xfe]).map((bytes) => Uint8Array.from(bytes)),
  fc.nat(1_000).map((i) => Buffer.from(tradeText('BTC-USD', i, 1, T0 + i))),
)
const item: fc.Arbitrary<Item> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      conn: fc.integer({ min: 1, max: FEEDS.length }),
      data,
      flags: fc.nat(63),
      recvMs: fc.oneof(fc.constant(T0), fc.double({ min: -8.64e15, max: 8.64e15, noNaN: true })),
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom(...ENTRIES).map((entry) => ({ entry })) },
)
/** Random flushes from the start of a session, at full size. */
export const anyFlushes: fc.Arbitrary<CommittedFlush[]> = fc
  .array(fc.array(item, { minLength: 1, maxLength: 40, size: 'max' }), { minLength: 1, maxLength: 8, size: 'max' })
  .map((items) => flushesOf(items))
