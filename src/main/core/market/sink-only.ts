/** A market that keeps nothing: its records go to a sink, and that is all. */
import type { Market } from './port.ts'

/** For what only looks on while a recording is read: no digest, no state to save or to go back to. */
export function sinkOnly(sink: Market['sink']): Market {
  return {
    sink,
    version: 0,
    fold: 0,
    digest: () => null,
    cut: () => undefined,
    setSkew: () => undefined,
    save: () => new Uint8Array(0),
    restore: () => undefined,
  }
}
