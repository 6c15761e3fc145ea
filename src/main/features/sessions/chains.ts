/** The sizes of a session's flushes in a session file. */
import { MAX_FLUSH_ENTRIES, MAX_SESSION_GAPS } from '../../../shared/core/recording/session-bounds.ts'
import type { ChainRuns } from '../../core/store/types/library.ts'
import type { Batch } from '../../core/store/types/messages.ts'
import { corruptFile, tooLarge } from './parts.ts'

/**
 * Encodes the chains as a part: for each, its connection, the number of runs, then alternating sizes and repeat
 * counts.
 */
export function encodeChains(chains: readonly ChainRuns[]): Buffer {
  const all = chains.flatMap(({ conn, runs }) => [Uint32Array.of(conn, runs.length / 2), runs])
  return Buffer.concat(all.map((one) => Buffer.from(one.buffer, one.byteOffset, one.byteLength)))
}

/** Decodes the output of `encodeChains`. Throws `store-damaged`. */
export function readChains(content: Buffer): readonly ChainRuns[] {
  if (content.length % 4 !== 0) throw corruptFile('the sizes of its flushes')
  const numbers = new Uint32Array(content.length / 4)
  for (let i = 0; i < numbers.length; i++) numbers[i] = content.readUInt32LE(i * 4)
  const chains: ChainRuns[] = []
  for (let at = 0; at < numbers.length;) {
    const end = at + 2 + (numbers[at + 1] ?? 0) * 2
    if (at + 2 > numbers.length || end > numbers.length) throw corruptFile('the sizes of its flushes')
    chains.push({ conn: numbers[at], runs: numbers.subarray(at + 2, end) })
    at = end
  }
  return chains
}

/** Throws `too-large` if a flush has more entries than one transaction may hold. */
export function checkFlushEntries(chains: readonly ChainRuns[]): void {
  for (const { conn, runs } of chains) {
    if (conn !== 0) continue
    for (let at = 0; at < runs.length; at += 2)
      if (runs[at] > MAX_FLUSH_ENTRIES) throw tooLarge('entries in one flush', MAX_FLUSH_ENTRIES)
  }
}

/** Passes batches on. Throws `too-large` if they have more gaps than a session may have. */
export function* checkGaps(batches: Iterable<Batch>, counted: { gaps: number }): Generator<Batch> {
  for (const batch of batches) {
    for (const { entry } of batch.entries)
      if (entry.type === 'gap-open' && ++counted.gaps > MAX_SESSION_GAPS) throw tooLarge('gaps', MAX_SESSION_GAPS)
    yield batch
  }
}
