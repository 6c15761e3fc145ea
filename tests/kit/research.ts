/** Responses of research for tests. */
import { unixMs } from '../../src/shared/base/units.ts'
import type { Answer } from '../../src/shared/features/research/research.ts'

/** A successful response with a JSON text. `fetchedMs`: UTC ms. */
export const makeAnswer = (id: number, text: string, fetchedMs = 1_767_312_000_000 + id): Answer => ({
  id,
  fetchedMs: unixMs(fetchedMs),
  status: 200,
  contentType: 'application/json',
  size: text.length,
  sha256: `hash of ${text.length} ${id}`,
  text,
})
