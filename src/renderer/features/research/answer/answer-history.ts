/** Every different answer that is known of an endpoint and a symbol: the service may give one period a call. */
import { parseValue } from '../../../../shared/features/research/parse.ts'
import type { Value } from '../../../../shared/features/research/value.ts'
import type { Transport } from '../../../../shared/rpc/transport.ts'
import type { Question } from './research.svelte.ts'

/**
 * Values of the good answers, with whatever parameters they were asked for: those of the latest
 * parameters first, newest first of each; the same text once. Ends early once `isGone`.
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
