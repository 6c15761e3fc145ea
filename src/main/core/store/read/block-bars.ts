/** Builds bars directly from the columns of a sealed block. */
import { isCounted, isWhole, type Share } from '../../../../shared/core/recording/merged-sessions.ts'
import { STORED_ONLY } from '../../../../shared/core/recording/session.ts'
import { barsFromColumns, midColumn } from '../../../../shared/core/market/bar-columns.ts'
import type { BarBuilder } from '../../../../shared/core/market/bar-builder.ts'
import type { BarSource } from '../../../../shared/core/market/market.ts'
import { FEEDS } from '../../../../service/feeds.ts'
import type { OpenBlock } from '../blocks/open-block.ts'
import { applyRecord, type Classifier } from '../format/classify.ts'

/** Adds the rows of a block with a seq in (after, limit] to bars, if they count in the part's share. */
export function applyBlock(
  classifier: Classifier,
  block: OpenBlock,
  of: BarSource,
  part: { readonly share: Share; readonly base: number },
  after: number,
  limit: number,
  builder: BarBuilder,
): void {
  const { seq, feed } = block
  const isAll = isWhole(part.share)
  let from = 0
  let to = block.count
  while (from < to && seq[from] <= after) from++
  while (to > from && seq[to - 1] > limit) to--
  const decodeRow = (i: number): void => {
    const flags = block.flags[i]
    if ((flags & STORED_ONLY) !== 0) return
    if (!isAll && !isCounted(part.share, seq[i], block.eventMs[i], block.recvMs[i])) return
    const raw = block.raw(i)
    const { eventMs, record } = classifier.classify(feed, flags, raw, 0, raw.length)
    applyRecord(builder, of, seq[i] + part.base, Number.isNaN(eventMs) ? block.recvMs[i] : eventMs, record)
  }
  if (FEEDS[feed].shape !== 'documented' || of === 'service' || !isAll) {
    for (let i = from; i < to; i++) decodeRow(i)
    return
  }
  const { price, size, priceUnit, sizeUnit, isComplete } = numbersOf(block, of)
  if (price === undefined) {
    for (let i = from; i < to; i++) decodeRow(i)
    return
  }
  let { eventMs } = block
  if (!block.isDated) eventMs = eventMs.map((ms, i) => (Number.isNaN(ms) ? block.recvMs[i] : ms))
  const ordered = part.base === 0 ? seq : seq.map((s) => s + part.base)
  const skip = block.commonFlags === 0 ? 0 : STORED_ONLY
  const flags = skip === 0 ? undefined : block.flags
  const columns = { eventMs, seq: ordered, price, size, flags, priceUnit, sizeUnit }
  if (isComplete) {
    barsFromColumns(columns, from, to, builder, skip)
    return
  }
  // Prices or sizes that aren't plain numbers may still be valid for the codec, so it decodes those rows.
  let run = from
  for (let i = from; i <= to; i++) {
    const undecoded = i < to && (Number.isNaN(price[i]) || (size !== null && Number.isNaN(size[i])))
    if (i < to && !undecoded) continue
    if (i > run) barsFromColumns(columns, run, i, builder, skip)
    if (undecoded) decodeRow(i)
    run = i + 1
  }
}

/** The numbers that bars of a kind are built from. */
interface Numbers {
  /** Undefined if the block's columns don't hold it. */
  readonly price: Float64Array | undefined
  readonly size: Float64Array | null
  readonly priceUnit: number
  readonly sizeUnit: number
  /** Whether every row has its numbers. */
  readonly isComplete: boolean
}

function numbersOf(block: OpenBlock, of: BarSource): Numbers {
  const { price, size, bid, ask } = FEEDS[block.feed].fields
  const key = of === 'trade' ? price : of === 'bid' ? bid : of === 'ask' ? ask : undefined
  if (key === undefined) return { price: midOf(block, of), size: null, priceUnit: 1, sizeUnit: 1, isComplete: false }
  const prices = block.mantissas(key)
  const sized = of === 'trade' && size !== undefined
  const sizes = sized ? block.mantissas(size) : undefined
  if (prices === undefined || (sized && sizes === undefined)) {
    return {
      price: block.column(key),
      size: sized ? block.column(size) : null,
      priceUnit: 1,
      sizeUnit: 1,
      isComplete: false,
    }
  }
  return {
    price: prices.values,
    size: sizes?.values ?? null,
    priceUnit: prices.unit,
    sizeUnit: sizes?.unit ?? 1,
    isComplete: true,
  }
}

function midOf(block: OpenBlock, of: BarSource): Float64Array | undefined {
  const { bid, ask } = FEEDS[block.feed].fields
  if (of !== 'mid' || bid === undefined || ask === undefined) return undefined
  return midColumn(block.column(bid), block.column(ask), new Float64Array(block.count))
}
