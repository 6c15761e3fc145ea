/** Decodes a row of a batch as `decodeStored` does, from its record or from its text. */
import { FEED_IDS } from '../../../shared/base/units.ts'
import type { MessageClass, Scratch } from '../../../service/codec.ts'
import { CODECS } from '../../../service/codecs/table.ts'
import { decodeStored } from '../../../service/codecs/decode-stored.ts'
import type { ReplayBatch } from '../store/types/replay.ts'

export function decodeRow(batch: ReplayBatch, row: number, out: Scratch): MessageClass {
  const { feed, flags, bytes, offsets, records } = batch
  const id = FEED_IDS[feed[row]]
  const number = records === undefined ? 0 : records.shape[row]
  if (records === undefined || number === 0) {
    return decodeStored(id, flags[row], bytes, offsets[row], offsets[row + 1], out)
  }
  const { shapes, numbers, stride, decimals } = records
  CODECS[id].fill(shapes[number - 1], numbers, row * stride, decimals[row], out)
  return 'market'
}
