/** Walks the hash chain of one connection: recomputes its leaves from the stored messages, flush by flush. */
import type { MessageColumns } from '../types/messages.ts'
import { ColumnsBuilder } from '../format/message-columns.ts'
import { entryLeaf, messageLeaf, equalBytes, type EntryRow } from '../format/ledger.ts'

/** Flush sizes as runs of equal ones, with the heads that are stored. */
export interface FlushRun {
  readonly size: number
  readonly repeats: number
  /** Head after the last flush of the run. */
  readonly head: Uint8Array | null
}

/** Messages of a connection that differ from the ledger. */
export interface ChainFault {
  readonly kind: 'changed' | 'reordered' | 'doubled'
  /** connSeq of the first and last message that may be affected. */
  readonly from: number
  readonly to: number
  /** Receive time of the first stored one of them, UTC ms; NaN if none is stored. */
  readonly atMs: number
}

export class ChainWalk {
  readonly #runs: readonly FlushRun[]
  /** Null: unknown after a fault, until the next stored head. */
  #head: Uint8Array | null
  #run = 0
  #done = 0
  /** connSeq of the last message of the previous flush. */
  #base = 0
  readonly #pending = new ColumnsBuilder(64, 4096)
  /** Of the flush being collected: the count of messages in order from its start, and those after a gap. */
  #inOrder = 0
  readonly #outOfOrder = new Set<number>()
  #broken = false
  /** First message covered by the next stored head, and its receive time. */
  #partFrom = 1
  #partMs = NaN
  #named = false
  readonly faults: ChainFault[] = []

  constructor(genesis: Uint8Array, runs: readonly FlushRun[]) {
    this.#head = genesis
    this.#runs = runs
    this.#skipEmpty()
  }

  /** Adds row i, in seq order. Returns false if no flush claims it. */
  take(m: MessageColumns, i: number): boolean {
    const at = m.connSeq[i]
    let run = this.#runs[this.#run]
    while (run !== undefined && at > this.#base + run.size) {
      this.#close(false)
      run = this.#runs[this.#run]
    }
    if (run === undefined) return false
    if (Number.isNaN(this.#partMs)) this.#partMs = m.recvMs[i]
    if (at <= this.#base + this.#inOrder || this.#outOfOrder.has(at)) {
      this.#name('doubled', at, m.recvMs[i])
      return true
    }
    if (at !== this.#base + this.#pending.count + 1) {
      this.#broken = true
      if (this.#outOfOrder.size > 0 && at < Math.max(...this.#outOfOrder)) this.#name('reordered', at, m.recvMs[i])
    }
    if (this.#broken) this.#outOfOrder.add(at)
    else this.#inOrder++
    this.#pending.add(m, i, i + 1)
    if (this.#pending.count === run.size) this.#close(!this.#broken)
    return true
  }

  /** Call after the last row. Returns the number of messages that the chain counts and nobody added, and the head. */
  finish(): { readonly missing: number; readonly head: Uint8Array | null } {
    let missing = 0
    for (let run = this.#runs[this.#run]; run !== undefined; run = this.#runs[this.#run]) {
      missing += run.size - this.#pending.count
      this.#close(false)
    }
    return { missing, head: this.#head }
  }

  #name(kind: ChainFault['kind'], at: number, atMs: number): void {
    this.#named = true
    this.faults.push({ kind, from: at, to: at, atMs })
  }

  #close(whole: boolean): void {
    const run = this.#runs[this.#run]
    const stored = this.#done + 1 === run.repeats ? run.head : null
    const leaf = whole && this.#head !== null ? messageLeaf(this.#head, this.#pending.build()) : null
    this.#base += run.size
    if (stored !== null) {
      const isValid = leaf !== null && equalBytes(leaf, stored)
      if (!isValid && !this.#named)
        this.faults.push({ kind: 'changed', from: this.#partFrom, to: this.#base, atMs: this.#partMs })
      this.#head = stored
      this.#partFrom = this.#base + 1
      this.#partMs = NaN
      this.#named = false
    } else this.#head = leaf
    this.#pending.clear()
    this.#inOrder = 0
    this.#outOfOrder.clear()
    this.#broken = false
    if (++this.#done === run.repeats) {
      this.#run++
      this.#done = 0
      this.#skipEmpty()
    }
  }

  #skipEmpty(): void {
    while (
      this.#runs[this.#run] !== undefined &&
      (this.#runs[this.#run].size === 0 || this.#runs[this.#run].repeats === 0)
    )
      this.#run++
  }
}

/**
 * Walks the entries' chain over all rows: whether every stored head matches, and the last head. Holds one flush at a
 * time.
 */
export function walkEntries(
  genesis: Uint8Array,
  runs: readonly FlushRun[],
  rows: Iterable<EntryRow>,
): { ok: boolean; head: Uint8Array } {
  const all = rows[Symbol.iterator]()
  let head = genesis
  let ok = true
  for (const { size, repeats, head: stored } of runs) {
    for (let i = 0; i < repeats; i++) {
      const flush: EntryRow[] = []
      while (flush.length < size) {
        const row = all.next()
        if (row.done === true) return { ok: false, head }
        flush.push(row.value)
      }
      head = entryLeaf(head, flush)
    }
    if (stored !== null && !equalBytes(head, stored)) {
      ok = false
      head = stored
    }
  }
  return { ok: ok && all.next().done === true, head }
}
