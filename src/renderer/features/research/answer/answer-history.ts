/** Loads every distinct saved response of an endpoint and symbol. The service may return one period per request. */
import { parseValue } from '../../../../shared/features/research/parse.ts'
import type { Value } from '../../../../shared/features/research/value.ts'
import type { Transport } from '../../../../shared/rpc/transport.ts'
import type { Question } from './research.svelte.ts'

/**
 * Parsed successful responses (status 2xx) across all parameter sets: latest parameters first, then newest first.
 * Identical texts appear once. Returns an empty list if `isGone` becomes true.
 */
export async function knownAnswers(
  transport: Transport,
  { view, endpoint, symbol }: Pick<Question, 'view' | 'endpoint' | 'symbol'>,
  isGone: () => boolean,
): Promise<readonly Value[]> {
  const found: Value[] = []
  const seen = new Set<string>()
  const asked = await transport.invoke('research.asked', { view, endpoint, symbol })
  if (isGone() || !asked.ok) return []
  for (const params of asked.value) {
    const versions = await transport.invoke('research.versions', { view, endpoint, symbol, params })
    if (isGone()) return []
    if (!versions.ok) continue
    for (const { id, status, sha256 } of versions.value) {
      if (status < 200 || status > 299 || seen.has(sha256)) continue
      seen.add(sha256)
      const answer = await transport.invoke('research.version', { version: id })
      if (isGone()) return []
      const value = answer.ok && answer.value !== null ? parseValue(answer.value.text) : undefined
      if (value !== undefined) found.push(value)
    }
  }
  return found
}
