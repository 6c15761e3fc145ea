/** Sessions that are published again, because the log dropped frames before the history had them. */
import { randomUUID } from 'node:crypto'
import type { SessionId } from '../../../../shared/base/units.ts'

export interface Resend {
  /** Up to here the history has it. */
  readonly afterSeq: number
  /** Up to here the log had it. */
  readonly upToSeq: number
}

export class Resends {
  readonly #pending = new Map<SessionId, Resend & { readonly hasBegun: boolean; readonly token: string }>()

  add(session: SessionId, resend: Resend): void {
    this.#pending.set(session, { ...resend, hasBegun: false, token: randomUUID() })
  }

  sessions(): readonly SessionId[] {
    return [...this.#pending.keys()]
  }

  delete(session: SessionId): void {
    this.#pending.delete(session)
  }

  has(session: SessionId): boolean {
    return this.#pending.has(session)
  }

  /** Where to begin; null: nowhere, or it has begun, and the log says where it stands. */
  startOf(session: SessionId): number | null {
    const pending = this.#pending.get(session)
    return pending === undefined || pending.hasBegun ? null : pending.afterSeq
  }

  /**
   * Returns a new id for each resend. For two minutes, servers take a message with a known id for one that they already
   * have, even if they have dropped it.
   */
  idOf(session: SessionId, id: string): string {
    const pending = this.#pending.get(session)
    return pending === undefined ? id : `${id}/again-${pending.token}`
  }

  /** The log has the session behind `afterSeq` up to `seq`. A publish that began before the resend isn't part of it. */
  published(session: SessionId, afterSeq: number, seq: number): void {
    const pending = this.#pending.get(session)
    if (pending === undefined || (!pending.hasBegun && afterSeq > pending.afterSeq)) return
    if (seq >= pending.upToSeq) this.#pending.delete(session)
    else this.#pending.set(session, { ...pending, hasBegun: true })
  }
}
