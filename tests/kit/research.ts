/** Responses of research for tests. */
import { unixMs } from '../../src/shared/base/units.ts'
import type { ServiceResponse } from '../../src/shared/features/research/research.ts'

/** A successful response with a JSON text. `fetchedMs`: UTC ms. */
export const makeResponse = (id: number, text: string, fetchedMs = 1_767_312_000_000 + id): ServiceResponse => ({
  id,
  fetchedMs: unixMs(fetchedMs),
  status: 200,
  contentType: 'application/json',
  size: text.length,
  sha256: `hash of ${text.length} ${id}`,
  text,
})
