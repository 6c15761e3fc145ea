/** Collects what a read skipped because it was corrupt, so that the caller can report it. */
import { CodedError } from '../../../../shared/base/errors.ts'
import type { StoredSpan } from './store.ts'

/** The hint for corruption errors that have no better one. */
export const VERIFY_HINT =
  'Run Verify in the Evidence pane, or "tapedeck verify": it lists everything affected. If you have a backup, restore the store from it.'

/** Collects the corrupt spans that one query met. */
export class CorruptSpans {
  readonly #lost = new Map<string, StoredSpan>()
  readonly #rebuilt = new Map<string, StoredSpan>()

  /** Adds messages that can't be read. */
  addLost(span: StoredSpan): void {
    this.#lost.set(`${span.fromMs} ${span.toMs}`, span)
  }

  /** Adds bars that can't be read and were rebuilt from their messages. */
  addRebuilt(span: StoredSpan): void {
    this.#rebuilt.set(`${span.fromMs} ${span.toMs}`, span)
  }

  get lost(): readonly StoredSpan[] {
    return joinSpans([...this.#lost.values()])
  }
  get rebuilt(): readonly StoredSpan[] {
    return joinSpans([...this.#rebuilt.values()])
  }
}

/** Runs a read of one part of the store. Returns false if that part is corrupt; rethrows any other error. */
export function tryRead(read: () => void): boolean {
  try {
    read()
    return true
  } catch (thrown) {
    if (thrown instanceof CodedError && thrown.code === 'store-damaged') return false
    throw thrown
  }
}

/** Sorts spans and joins those that touch. */
function joinSpans(spans: readonly StoredSpan[]): readonly StoredSpan[] {
  const out: StoredSpan[] = []
  for (const span of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = out.at(-1)
    if (last === undefined || span.fromMs > last.toMs) out.push(span)
    else out[out.length - 1] = { fromMs: last.fromMs, toMs: Math.max(last.toMs, span.toMs) }
  }
  return out
}
