/**
 * The encoding of a market snapshot (the hub's cells and the digest fold), which lets a replay start in the middle of
 * a session. A JSON header is followed by every number as a double in this machine's byte order (little-endian on
 * every machine that Tapedeck supports).
 */
import type { FeedId } from '../../../shared/base/units.ts'
import type { CellSave } from './cell.ts'
import { FOLD_NUMBERS, FOLD_VERSION, type FoldSave } from './digest.ts'
import type { HubSave } from './hub-types.ts'

/** Increment this whenever the encoding changes, or the state that hub and fold compute from the same records. */
export const SNAPSHOT_VERSION = 3

interface Header {
  readonly snapshot: number
  readonly fold: number
  readonly lastSeq: number
  readonly epochs: HubSave['epochs']
  readonly spellings: HubSave['aliases']
  readonly cells: readonly (Omit<CellSave, 'numbers'> & { readonly numbers: number })[]
  readonly minute: number | null
  readonly folded: readonly (readonly [FeedId, string])[]
}

const HEAD_BYTES = 8

export function encodeMarket(hub: HubSave, fold: FoldSave): Uint8Array {
  const header: Header = {
    snapshot: SNAPSHOT_VERSION,
    fold: FOLD_VERSION,
    lastSeq: hub.lastSeq,
    epochs: hub.epochs,
    spellings: hub.aliases,
    cells: hub.cells.map(({ numbers, ...texts }) => ({ ...texts, numbers: numbers.length })),
    minute: fold.minute,
    folded: fold.cells.map(({ feed, symbol }) => [feed, symbol]),
  }
  const text = new TextEncoder().encode(JSON.stringify(header))
  const from = HEAD_BYTES + Math.ceil(text.length / 8) * 8
  const count = hub.cells.reduce((sum, { numbers }) => sum + numbers.length, 0) + fold.cells.length * FOLD_NUMBERS
  const bytes = new Uint8Array(from + count * 8)
  new Uint32Array(bytes.buffer, 0, 1)[0] = text.length
  bytes.set(text, HEAD_BYTES)
  const doubles = new Float64Array(bytes.buffer, from, count)
  let at = 0
  const put = (numbers: Float64Array) => {
    doubles.set(numbers, at)
    at += numbers.length
  }
  for (const { numbers } of hub.cells) put(numbers)
  for (const { numbers } of fold.cells) put(numbers)
  return bytes
}

/** Decodes the output of `encodeMarket`. Throws a RangeError for another version or if bytes are missing. */
export function decodeMarket(bytes: Uint8Array): { readonly hub: HubSave; readonly fold: FoldSave } {
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0, true)
  const text = new TextDecoder().decode(bytes.subarray(HEAD_BYTES, HEAD_BYTES + length))
  const header = JSON.parse(text) as Header // encoded from a Header and protected by a checksum
  if (header.snapshot !== SNAPSHOT_VERSION || header.fold !== FOLD_VERSION) {
    throw new RangeError(`a snapshot of version ${header.snapshot}.${header.fold}`)
  }
  // A copy, because bytes from the store may be unaligned.
  const doubles = new Float64Array(bytes.slice(HEAD_BYTES + Math.ceil(length / 8) * 8).buffer)
  let at = 0
  const take = (count: number): Float64Array => doubles.subarray(at, (at += count))
  const { lastSeq, epochs, spellings: aliases, minute } = header
  const cells = header.cells.map(({ numbers, ...texts }) => ({ ...texts, numbers: take(numbers) }))
  const folded = header.folded.map(([feed, symbol]) => ({ feed, symbol, numbers: take(FOLD_NUMBERS) }))
  return { hub: { lastSeq, epochs, aliases, cells }, fold: { minute, cells: folded } }
}
