/**
 * Stored messages in seq order, merged from the blocks of many instruments and the journal without duplicates or
 * omissions.
 */
import type { SessionId } from '../../../../shared/base/units.ts'
import { isCounted, isWhole, type Share } from '../../../../shared/core/recording/merged-sessions.ts'
import { corruptBlock } from '../blocks/bytes.ts'
import { nextTurn } from '../../jobs/turns.ts'
import { blockTicks } from '../blocks/ticks.ts'
import { encodeBlock } from '../blocks/encode.ts'
import { ArrayScratch, type OpenBlock } from '../blocks/open-block.ts'
import { readDated } from '../types/corruption.ts'
import { openBlock } from '../blocks/open.ts'
import { Classifier } from '../format/classify.ts'
import { ColumnsBuilder } from '../format/message-columns.ts'
import { decodeJournal } from '../format/journal.ts'
import { MergedTicks } from './merged-ticks.ts'
import { rowAt, rowCount, SeqOrder, type SelectedRows } from './seq-order.ts'
import type { TickColumns, TickQuery } from '../types/ticks.ts'
import type { TickPlan, TickSource } from '../types/ticks.ts'

/** The rows of one series, in order. */
type Stream = AsyncIterator<SelectedRows, void> | Iterator<SelectedRows, void>

/** Reads the result of a query session by session, each in seq order. Throws `store-damaged`. */
export async function* readTicks(source: TickSource, query: TickQuery): AsyncGenerator<TickColumns, void, void> {
  const classifier = new Classifier()
  for (const plan of await source.plan(query)) {
    const last = Math.min(plan.maxSeq, query.upToSeq ?? Infinity)
    let cursor = query.afterSeq ?? 0
    while (cursor < last) {
      const window = await source.window(query, plan, cursor)
      const sealed = Math.min(window.sealedSeq, last)
      if (sealed > cursor) {
        const from = cursor
        const scratch = query.reusesArrays === true ? new ArrayScratch() : undefined
        // Where series are merged, rows of several blocks of each are needed at a time.
        const ofBlocks = window.series.length === 1 ? scratch : undefined
        yield* merge(
          plan.session,
          window.series.map(({ id, instrument }) =>
            blocksOf(source, query, plan, { id, share: shareOf(plan, instrument) }, from, sealed, ofBlocks),
          ),
          scratch,
        )
        cursor = sealed
        continue
      }
      if (window.upToSeq <= cursor) break
      const upTo = Math.min(window.upToSeq, last)
      const tail = journalStreams(classifier, query, plan, window.journal, new Set(window.conns), cursor, upTo)
      yield* merge(plan.session, tail)
      cursor = upTo
    }
  }
}

const shareOf = ({ share, shares }: TickPlan, instrument: string): Share => shares.get(instrument) ?? share

async function* blocksOf(
  source: TickSource,
  query: TickQuery,
  { id, session }: TickPlan,
  series: { readonly id: number; readonly share: Share },
  after: number,
  upTo: number,
  scratch: ArrayScratch | undefined,
): AsyncGenerator<SelectedRows, void, void> {
  let cursor = after
  let limit = 1
  while (cursor < upTo) {
    const blocks = await source.blocks({
      plan: { id, session },
      series: series.id,
      after: cursor,
      upTo,
      fromMs: query.fromMs ?? -Infinity,
      toMs: query.toMs ?? Infinity,
      limit,
    })
    if (blocks.length === 0) return
    for (const { data, minMs, maxMs } of blocks) {
      await nextTurn()
      const block = readDated({ what: 'messages', fromMs: minMs, toMs: maxMs }, () => openBlock(data, scratch))
      const selected = selectRows(block, query, series.share, cursor, upTo)
      const lastSeq = block.seq[block.count - 1]
      if (!(lastSeq > cursor)) throw corruptBlock('its seqs don’t match its index')
      cursor = lastSeq
      if (selected !== undefined) yield selected
    }
    limit = Math.min(16, limit * 2)
  }
}

/** The rows of a block within the queried seqs and times; undefined if there are none. */
function selectRows(
  block: OpenBlock,
  query: TickQuery,
  share: Share,
  after: number,
  upTo: number,
): SelectedRows | undefined {
  const { seq } = block
  let from = 0
  let to = block.count
  while (from < to && seq[from] <= after) from++
  while (to > from && seq[to - 1] > upTo) to--
  if (from === to) return undefined
  const fromMs = query.fromMs ?? -Infinity
  const toMs = query.toMs ?? Infinity
  if (fromMs === -Infinity && toMs === Infinity && isWhole(share)) return { block, rows: { from, to } }
  const { eventMs, recvMs } = block
  const rows = new Uint32Array(to - from)
  let n = 0
  for (let i = from; i < to; i++) {
    const ms = Number.isNaN(eventMs[i]) ? recvMs[i] : eventMs[i]
    if (ms >= fromMs && ms < toMs && isCounted(share, seq[i], eventMs[i], recvMs[i])) rows[n++] = i
  }
  if (n === 0) return undefined
  return { block, rows: n === to - from ? { from, to } : rows.subarray(0, n) }
}

/** The journal's rows of the queried feed as one stream per instrument, sealed into blocks in memory. */
function journalStreams(
  classifier: Classifier,
  query: TickQuery,
  plan: TickPlan,
  journal: readonly Uint8Array[],
  conns: ReadonlySet<number>,
  after: number,
  upTo: number,
): Stream[] {
  const buckets = new Map<string, { rows: ColumnsBuilder; eventMs: number[] }>()
  for (const data of journal) {
    const { messages: m } = decodeJournal(data)
    for (let i = 0; i < m.count; i++) {
      if (!conns.has(m.conn[i])) continue
      const { series, eventMs } = classifier.classify(query.feed, m.flags[i], m.bytes, m.offsets[i], m.offsets[i + 1])
      if (query.instruments !== null && !(query.instruments as readonly string[]).includes(series)) continue
      let bucket = buckets.get(series)
      if (bucket === undefined) buckets.set(series, (bucket = { rows: new ColumnsBuilder(), eventMs: [] }))
      bucket.rows.add(m, i, i + 1)
      bucket.eventMs.push(eventMs)
    }
  }
  return [...buckets].map(([series, { rows, eventMs }]) => {
    const sealed = encodeBlock(query.feed, rows.build(), { eventMs: Float64Array.from(eventMs), prove: false })
    const selected = selectRows(openBlock(sealed), query, shareOf(plan, series), after, upTo)
    return (selected === undefined ? [] : [selected])[Symbol.iterator]()
  })
}

interface Head {
  readonly stream: Stream
  selected: SelectedRows
  at: number
  /** The seq of the row at `at`; Infinity after the last one. */
  seq: number
}

/** Moves to the next block if there is no row left in this one. */
async function advance(head: Head): Promise<void> {
  if (head.at === rowCount(head.selected)) {
    const next = await head.stream.next()
    if (next.done === true) {
      head.seq = Infinity
      return
    }
    head.selected = next.value
    head.at = 0
  }
  head.seq = head.selected.block.seq[rowAt(head.selected, head.at)]
  if (!(head.seq < Infinity)) throw corruptBlock('a seq isn’t a number')
}

/** Merges streams, each in seq order, by seq. */
async function* merge(
  session: SessionId,
  streams: readonly Stream[],
  scratch?: ArrayScratch,
): AsyncGenerator<TickColumns, void, void> {
  let heads: Head[] = []
  for (const stream of streams) {
    const next = await stream.next()
    if (next.done === true) continue
    const head = { stream, selected: next.value, at: 0, seq: 0 }
    await advance(head)
    heads.push(head)
  }
  const order = new SeqOrder(scratch)
  while (heads.length > 1) {
    const until = order.begin(heads.reduce((least, { seq }) => Math.min(least, seq), Infinity))
    for (const head of heads) {
      while (head.seq < until) {
        head.at = order.add(head.selected, head.at)
        await advance(head)
      }
    }
    yield new MergedTicks(session, order.end(), scratch)
    heads = heads.filter(({ seq }) => seq < Infinity)
  }
  // One series is left, so its blocks are passed on unchanged.
  for (const head of heads) {
    while (head.seq < Infinity) {
      const { block, rows } = head.selected
      const rest = rows instanceof Uint32Array ? rows.subarray(head.at) : { from: rows.from + head.at, to: rows.to }
      yield blockTicks(block, session, rest)
      head.at = rowCount(head.selected)
      await advance(head)
    }
  }
}
