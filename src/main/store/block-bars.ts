/** Bars straight from the columns of a sealed block. */
import { barsFromColumns, midColumn, type BarBuilder } from '../../shared/bars.ts'
import type { BarSource } from '../../shared/market.ts'
import { FEEDS } from '../../service/feeds.ts'
import type { OpenBlock } from './blocks/open.ts'
import { applyRecord, OUT_OF_BARS, type Classifier } from './classify.ts'

/** Takes the rows of a block with a seq in (after, limit] into bars. */
export function barsOfBlock(
  classifier: Classifier,
  block: OpenBlock,
  of: BarSource,
  part: { readonly notBeforeMs: number; readonly base: number },
  after: number,
  limit: number,
  builder: BarBuilder,
): void {
  const { seq, flags, feed } = block
  let from = 0
  let to = block.count
  while (from < to && seq[from] <= after) from++
  while (to > from && seq[to - 1] > limit) to--
  const decodeRow = (i: number): void => {
    if ((flags[i] & OUT_OF_BARS) !== 0 || block.recvMs[i] < part.notBeforeMs) return
    const raw = block.raw(i)
    const { eventMs, record } = classifier.place(feed, flags[i], raw, 0, raw.length)
    applyRecord(builder, of, seq[i] + part.base, Number.isNaN(eventMs) ? block.recvMs[i] : eventMs, record)
  }
  const { shape, fields } = FEEDS[feed]
  const price = priceColumn(block, of)
  if (shape !== 'documented' || price === undefined || part.notBeforeMs > -Infinity) {
    for (let i = from; i < to; i++) decodeRow(i)
    return
  }
  let { eventMs } = block
  if (!block.isDated) eventMs = eventMs.map((ms, i) => (Number.isNaN(ms) ? block.recvMs[i] : ms))
  const size = of === 'trade' && fields.size !== undefined ? block.column(fields.size) : null
  const columns = { eventMs, seq: part.base === 0 ? seq : seq.map((s) => s + part.base), price, size, flags }
  const skip = block.commonFlags === 0 ? 0 : OUT_OF_BARS
  if (KEYS[of].every((part) => fields[part] === undefined || block.isWhole(fields[part]))) {
    barsFromColumns(columns, from, to, builder, skip)
    return
  }
  // A price that is no plain number, or a size, may still be one to the codec: those rows it reads itself.
  let run = from
  for (let i = from; i <= to; i++) {
    const odd = i < to && (Number.isNaN(price[i]) || (size !== null && Number.isNaN(size[i])))
    if (i < to && !odd) continue
    if (i > run) barsFromColumns(columns, run, i, builder, skip)
    if (odd) decodeRow(i)
    run = i + 1
  }
}

/** The parts of a record that bars of a kind are built from. */
const KEYS: Readonly<Record<BarSource, readonly ('price' | 'size' | 'bid' | 'ask')[]>> = {
  trade: ['price', 'size'],
  bid: ['bid'],
  ask: ['ask'],
  mid: ['bid', 'ask'],
  service: [],
}

/** The prices that build bars of a kind, where the block's own columns hold them. */
function priceColumn(block: OpenBlock, of: BarSource): Float64Array | undefined {
  const { price, bid, ask } = FEEDS[block.feed].fields
  switch (of) {
    case 'trade':
      return price === undefined ? undefined : block.column(price)
    case 'bid':
      return bid === undefined ? undefined : block.column(bid)
    case 'ask':
      return ask === undefined ? undefined : block.column(ask)
    case 'mid':
      return bid === undefined || ask === undefined
        ? undefined
        : midColumn(block.column(bid), block.column(ask), new Float64Array(block.count))
    case 'service':
      return undefined
  }
}
