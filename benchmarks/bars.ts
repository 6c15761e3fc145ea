/** 1-minute bars out of sealed ticks, against DuckDB's native table on one thread. */
import { WHOLE } from '../src/shared/core/recording/merged-sessions.ts'
import { encodeBlock } from '../src/main/core/store/blocks/encode.ts'
import { applyBlock } from '../src/main/core/store/read/block-bars.ts'
import { openBlock } from '../src/main/core/store/blocks/open.ts'
import { ArrayScratch } from '../src/main/core/store/blocks/open-block.ts'
import { Classifier } from '../src/main/core/store/format/classify.ts'
import { fixedGrid } from '../src/shared/core/market/bars.ts'
import { createBarBuilder, type BarBuilder } from '../src/shared/core/market/bar-builder.ts'
import { loadDuck, openDuck, type DuckColumn } from './duck.ts'
import { duel, row, type Row } from './row.ts'
import { messageRuns } from './ticks.ts'

const MINUTE = 60_000

/** Blocks, columns, bars: all of the way from what is on disk, as readers of the store go it. */
function barsOf(blocks: readonly Uint8Array[]): BarBuilder {
  const builder = createBarBuilder({ grid: fixedGrid(MINUTE) })
  const scratch = new ArrayScratch()
  const classifier = new Classifier()
  const part = { share: WHOLE, base: 0 }
  for (const bytes of blocks) applyBlock(classifier, openBlock(bytes, scratch), 'trade', part, 0, Infinity, builder)
  return builder
}

/** Bars out of `count` trades; throws when the two do not agree. */
export async function benchBars(count = 10_000_000): Promise<readonly Row[]> {
  const blocks: Uint8Array[] = []
  for (const run of messageRuns('crypto/XT', count)) blocks.push(encodeBlock('crypto/XT', run, { prove: false }))
  const duck = await openDuck()
  try {
    const batches = function* (): Generator<readonly DuckColumn[]> {
      for (const bytes of blocks) {
        const block = openBlock(bytes)
        yield [
          { name: 'seq', type: 'BIGINT', values: block.seq },
          { name: 'event_ms', type: 'BIGINT', values: block.eventMs },
          { name: 'p', type: 'DOUBLE', values: block.column('p') },
          { name: 's', type: 'DOUBLE', values: block.column('s') },
        ]
      }
    }
    await loadDuck(duck.connection, 'ticks', batches())
    const sql = `SELECT event_ms // ${MINUTE} * ${MINUTE} AS start, arg_min(p, seq) AS o, max(p) AS h, min(p) AS l,
      arg_max(p, seq) AS c, sum(s) AS v, count(*) AS n FROM ticks GROUP BY 1 ORDER BY 1`
    const { ours, theirs } = await duel(
      5,
      () => barsOf(blocks),
      () => duck.connection.runAndReadAll(sql),
    )
    const expected = (await duck.connection.runAndReadAll(sql)).getRows()
    const states = barsOf(blocks).states()
    if (expected.length !== states.length) throw new Error('the bars differ in number')
    for (const [i, state] of states.entries()) {
      const [start, open, high, low, close, volume, n] = expected[i].map(Number)
      const equal = start === state.startMs && open === state.open && high === state.high && low === state.low
      if (!equal || close !== state.close || n !== state.count || Math.abs((volume ?? NaN) - state.volume) > 1e-6) {
        throw new Error(`bar ${i} differs`)
      }
    }
    return [
      row({
        name: `1-minute bars out of ${count / 1e6} M stored ticks`,
        unit: 'M ticks/s',
        ours: count / ours / 1e6,
        peer: count / theirs / 1e6,
        peerName: 'DuckDB, one thread, native table',
        goal: { is: 'at least', ratio: 1.5 },
      }),
    ]
  } finally {
    duck.close()
  }
}
