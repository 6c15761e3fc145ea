/**
 * Which sessions of a store are published to a team, and how far the team's history has them. Kept as holds next to the
 * store: a session can be erased once the history has all of it and its close record, also while NATS is away.
 */
import { readHolds, writeHolds, type Hold } from '../../../core/store/library/holds.ts'
import type { SessionId } from '../../../../shared/base/units.ts'
import type { Watermark } from '../checksum.ts'
import type { TeamName } from '../names.ts'
import { decodeSessionInfo, encodeSessionInfo, type SessionEnd, type SessionInfo } from '../session-info.ts'

/** A session that the team doesn't have completely yet. */
export interface SpoolSession {
  readonly info: SessionInfo
  /** The last seq that the history has committed. */
  readonly archivedSeq: number
}

interface SpoolData {
  readonly team: string
  readonly info: string
  readonly archivedSeq: number
}

export class Spool {
  readonly #store: () => string
  readonly #team: TeamName
  readonly #sessions = new Map<SessionId, SpoolSession>()

  /** `store`: its current path. Throws `disk-error` if the file can't be read. */
  constructor(store: () => string, team: TeamName) {
    this.#store = store
    this.#team = team
    for (const [id, hold] of readHolds(store())) {
      const session = readSession(hold, team)
      if (session !== null) this.#sessions.set(id, session)
    }
  }

  /** In the order in which they began. */
  sessions(): readonly SpoolSession[] {
    return [...this.#sessions.values()].sort((a, b) => a.info.startedMs - b.info.startedMs)
  }

  get(id: SessionId): SpoolSession | undefined {
    return this.#sessions.get(id)
  }

  /** Adds a session before anything of it is stored. Throws the disk's error. */
  begin(info: SessionInfo): void {
    this.#sessions.set(info.session, { info, archivedSeq: 0 })
    this.#save()
  }

  /** The log has a whole session, with its end. */
  ended(id: SessionId, end: SessionEnd): void {
    const session = this.#sessions.get(id)
    if (session !== undefined) this.#change(id, { ...session, info: { ...session.info, end } })
  }

  /** How far the history has a session. What it has completely isn't held any more. */
  archived(id: SessionId, { lastSeq, isComplete }: Watermark): void {
    const session = this.#sessions.get(id)
    if (session === undefined) return
    const { end } = session.info
    // All of its messages aren't enough: while the team's log alone has the close record, it can be lost with it.
    if (isComplete && end !== null && lastSeq >= end.lastSeq) this.remove(id)
    else if (session.archivedSeq !== lastSeq) this.#change(id, { ...session, archivedSeq: lastSeq })
  }

  /** Holds a session no longer. */
  remove(id: SessionId): void {
    if (this.#sessions.delete(id)) this.#save()
  }

  #change(id: SessionId, session: SpoolSession): void {
    this.#sessions.set(id, session)
    this.#save()
  }

  /** Leaves the holds of other teams as they are. */
  #save(): void {
    const store = this.#store()
    const holds = new Map([...readHolds(store)].filter(([, hold]) => readSession(hold, this.#team) === null))
    for (const [id, { info, archivedSeq }] of this.#sessions) {
      const data: SpoolData = { team: this.#team, info: encodeSessionInfo(info), archivedSeq }
      holds.set(id, { why: `the history of the team ${this.#team} doesn’t have all of it yet`, data })
    }
    writeHolds(store, holds)
  }
}

/** Null unless it is held for this team. */
function readSession({ data }: Hold, team: TeamName): SpoolSession | null {
  const { team: of, info, archivedSeq } = (typeof data === 'object' && data !== null ? data : {}) as Partial<SpoolData>
  const read = of === team && typeof info === 'string' ? decodeSessionInfo(info) : null
  if (read === null) return null
  return { info: read, archivedSeq: typeof archivedSeq === 'number' && archivedSeq >= 0 ? archivedSeq : 0 }
}
