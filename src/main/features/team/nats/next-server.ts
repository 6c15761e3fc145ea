/** Which of a cluster's servers to try next. */
import type { Server } from '@nats-io/transport-node'

type Candidate = Pick<Server, 'listen' | 'lastConnect'>

export class ServerOrder {
  /** Servers that were tried before one accepted the connection; null: one did. */
  #tried: Set<string> | null = new Set()
  #isExhausted = false

  /** No server accepted the connection. */
  get isExhausted(): boolean {
    return this.#isExhausted
  }

  connected(): void {
    this.#tried = null
  }

  /**
   * Returns the server whose last connection attempt is the oldest; of several, the first. With more than one server,
   * that is never the one that was just lost. A server that hangs still accepts connections, so trying it again would
   * take the whole time limit.
   *
   * Until one accepted the connection, each is tried once, and then this throws. The client forgets those that didn't, but
   * servers name the others of their cluster also to a user whom they refuse, so it would try them without pause or end.
   */
  next<T extends Candidate>(pool: readonly T[]): T {
    const tried = this.#tried
    const candidates = tried === null ? pool : pool.filter(({ listen }) => !tried.has(listen))
    const [first, ...others] = candidates
    this.#isExhausted = first === undefined
    if (first === undefined) throw new Error('every server was tried')
    const next = others.reduce((oldest, one) => (one.lastConnect < oldest.lastConnect ? one : oldest), first)
    tried?.add(next.listen)
    return next
  }
}
