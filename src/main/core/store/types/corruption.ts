/** What could not be read while something was read past it: told beside the answer, so that nothing is left out in silence. */
import { CodedError } from '../../../../shared/base/errors.ts'
import type { StoredSpan } from './store.ts'

/** What to do about damage, for whoever has no better idea. */
export const VERIFY_HINT =
  'Run Verify in the Evidence pane, or "tapedeck verify": it names all that is damaged. Restore the store from a backup where you have one.'

/** Gathers what is damaged on the way of one question. */
export class CorruptSpans {
  readonly #lost = new Map<string, StoredSpan>()
  readonly #rebuilt = new Map<string, StoredSpan>()

  /** Messages that cannot be read. */
  addLost(span: StoredSpan): void {
    this.#lost.set(`${span.fromMs} ${span.toMs}`, span)
  }

  /** Bars that cannot be read and were built from their messages instead. */
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

/** Runs a read of one part of the store; answers false where that part is damaged. Everything else is thrown. */
export function tryRead(read: () => void): boolean {
  try {
    read()
    return true
  } catch (thrown) {
    if (thrown instanceof CodedError && thrown.code === 'store-damaged') return false
    throw thrown
  }
}

/** Spans in order, those that touch as one. */
function joinSpans(spans: readonly StoredSpan[]): readonly StoredSpan[] {
  const out: StoredSpan[] = []
  for (const span of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = out.at(-1)
    if (last === undefined || span.fromMs > last.toMs) out.push(span)
    else out[out.length - 1] = { fromMs: last.fromMs, toMs: Math.max(last.toMs, span.toMs) }
  }
  return out
}
