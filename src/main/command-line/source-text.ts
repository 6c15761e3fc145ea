/** Where a command's market data come from, for a person who must not mistake a demo for the market. */
import type { StatusState } from '../../shared/core/status/status.ts'

/** "the demo market", or the origin of the service. */
export function sourceText({ source, origin }: Pick<StatusState, 'source' | 'origin'>): string {
  return source === 'demo' ? 'the demo market' : origin
}
