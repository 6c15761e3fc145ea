/** Maps rows of a block to values of its columns: a column has no slot for rows without a value. */
import { corruptBlock } from './bytes.ts'
import { TEMPLATE, type Directory } from './directory.ts'
import { TIME } from './format.ts'
import { constantOf } from './ints.ts'
import type { BlockScratch } from './open-block.ts'
import type { BlockSource, Span } from './source.ts'

/** The range of some rows' values in each column, and the number of exception texts before them. */
export interface Spans {
  readonly of: ReadonlyMap<number, Span>
  readonly raws: number
}

/**
 * The template of each row; undefined if all have the same. Throws `store-damaged` unless columns, texts and templates
 * add up.
 */
export function rowShapes(source: BlockSource, scratch: BlockScratch | undefined): Float64Array | undefined {
  const { count, ints, templates, numbers, rawEnds } = source.directory
  const uses = new Float64Array(templates.length + 1)
  const only = constantOf(ints[TEMPLATE])
  let ids: Float64Array | undefined
  if (only !== undefined && only >= 0 && only <= templates.length) uses[only] = count
  else {
    ids = source.whole(TEMPLATE, scratch?.floats(count) ?? new Float64Array(count))
    for (let i = 0; i < count; i++) {
      const id = ids[i]
      if (!(id >= 0 && id <= templates.length)) throw corruptBlock('a message has an unknown template')
      uses[id] = uses[id] + 1
    }
  }
  if (uses[0] !== rawEnds.length) throw corruptBlock('its texts don’t match its messages')
  const seen = new Float64Array(numbers.length)
  for (const [t, template] of templates.entries()) {
    for (const id of template.columns) seen[id] = seen[id] + uses[t + 1]
  }
  for (const [i, { values }] of numbers.entries()) {
    if (seen[i] !== ints[values].count) throw corruptBlock('its numbers don’t match its messages')
  }
  return ids
}

/** The ranges of rows [from, to). `shapes` comes from `rowShapes`. */
export function spansOf(
  { ints, templates, numbers, time }: Directory,
  shapes: Float64Array | undefined,
  rows: Span,
): Spans {
  const before = new Float64Array(templates.length + 1)
  const inside = new Float64Array(templates.length + 1)
  if (shapes === undefined) {
    const only = constantOf(ints[TEMPLATE]) ?? 0
    before[only] = rows.from
    inside[only] = rows.to - rows.from
  } else {
    for (let i = 0; i < rows.to; i++) {
      const counts = i < rows.from ? before : inside
      const id = shapes[i]
      counts[id] = counts[id] + 1
    }
  }
  const of = new Map<number, Span>()
  for (const [c, { values, perRow }] of numbers.entries()) {
    let from = 0
    let size = 0
    for (const [t, { columns }] of templates.entries()) {
      if (!columns.includes(c)) continue
      from += before[t + 1]
      size += inside[t + 1]
    }
    const span = { from, to: from + size }
    of.set(values, span)
    if (perRow >= 0) of.set(perRow, span)
  }
  if (time.is === TIME.own) of.set(time.at, rows)
  return { of, raws: before[0] }
}
