/** The flushes of a frame as batches of the store. */
import { sliceColumns } from '../../../core/store/format/message-columns.ts'
import type { Batch } from '../../../core/store/types/messages.ts'
import type { Frame } from './frame.ts'

/**
 * One batch for each flush, in seq order. The first one announces the frame's connections. The columns are views of the
 * frame's memory, so they must not be transferred to a worker one by one.
 */
export function frameBatches(frame: Frame): Batch[] {
  let row = 0
  let entry = 0
  return frame.flushes.map(({ messages, entries }, i) => {
    const firstRow = row
    const firstEntry = entry
    row += messages
    entry += entries
    return {
      messages: sliceColumns(frame.messages, firstRow, row),
      entries: frame.entries.slice(firstEntry, entry),
      connections: i === 0 ? frame.connections : [],
    }
  })
}
