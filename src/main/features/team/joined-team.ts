/** The team that this terminal is on: the one that its source names, how to reach it, and what windows see of it. */
import { CodedError } from '../../../shared/base/errors.ts'
import { UNREAD, type TeamOverview } from '../../../shared/features/team/status.ts'
import type { TeamState } from '../../../shared/features/team/team.ts'
import { account } from '../../core/account/feature.ts'
import { log } from '../../core/log/feature.ts'
import { settings } from '../../core/settings/feature.ts'
import { store } from '../../core/store/feature.ts'
import { live } from '../../core/views/live-feature.ts'
import { market } from '../../core/views/market-feature.ts'
import { wholeStreams } from '../../rpc/state-stream.ts'
import type { Services } from '../../terminal/feature.ts'
import type { Host } from '../../terminal/host.ts'
import { addressOfHost, addressOfSettings, type TeamAddress } from './access.ts'
import type { History } from './history/history.ts'
import type { TeamLog } from './nats/team-log.ts'
import type { StatusWatch } from './status/status-watch.ts'
import { Team } from './team-link.ts'

export const TEAM_NEEDS = { settings, log, store, account, market, live }

const NAME = 'tapedeck terminal'

/** The clients of NATS and PostgreSQL are loaded here, when a team is used. */
export const connect = async ({ team, target, allowOld }: TeamAddress): Promise<TeamLog> =>
  (await import('./nats/connect.ts')).connectTeam({ target, team, name: NAME, allowOld })
export const openHistory = async ({ team, history }: TeamAddress): Promise<History | null> =>
  history === null ? null : (await import('./history/history.ts')).openHistory(history, team)

export class JoinedTeam {
  readonly #needs: Services<typeof TEAM_NEEDS>
  readonly #host: Host
  /** From the command line, until another team is joined in a window. */
  given: Host['team']
  #current: Team | null = null
  #watch: StatusWatch | null = null
  readonly streams = wholeStreams((): TeamState => this.state)
  readonly overviews = wholeStreams((): TeamOverview =>
    this.#current === null ? null : (this.#watch?.state ?? UNREAD),
  )

  constructor(needs: Services<typeof TEAM_NEEDS>, host: Host) {
    this.#needs = needs
    this.#host = host
    this.given = host.team
  }

  get state(): TeamState {
    return this.#current?.state ?? null
  }

  /** Keeps the secrets of an address out of the log. */
  note(address: TeamAddress): TeamAddress {
    const { secrets } = this.#needs.log
    const { password, seed, creds } = address.target
    for (const secret of [password, seed, creds]) if (secret !== null) secrets.note(secret)
    const historyPassword = address.history === null ? '' : new URL(address.history.url).password
    if (historyPassword !== '') secrets.note(decodeURIComponent(historyPassword))
    return address
  }

  async address(): Promise<TeamAddress> {
    if (this.given !== undefined) return this.note(addressOfHost(this.given))
    const { account, team } = this.#needs.settings.get()
    return this.note(await addressOfSettings(account.team, team, await this.#needs.account.credentials.keychain()))
  }

  /** Leaves the team of before, and follows the one of the source, if it is one. */
  follow(): void {
    const { store, account, log, live, market } = this.#needs
    const before = this.#current
    this.#current = null
    const closed = before?.close() ?? Promise.resolve()
    if (account.source.source.kind === 'team')
      this.#current = new Team({
        // The sessions of one team have one follower at a time.
        address: () => closed.then(() => this.address()),
        name: account.source.source.origin,
        isGiven: this.given !== undefined,
        reader: store.reader,
        writer: store.writer,
        live,
        market,
        clock: this.#host.clock,
        log: (level, from, text, detail) => log.add(level, from, text, detail),
        changed: () => this.#changed(),
        connect,
        openHistory,
      })
    this.#changed()
    this.#watch?.reset()
    if (this.overviews.count > 0) void this.watchStatus()
    this.overviews.changed()
  }

  #changed(): void {
    this.streams.changed()
    this.#needs.live.statusStreams.changed()
  }

  /** A second has passed. */
  tick(): void {
    if (this.#current !== null && this.streams.count > 0) this.streams.changed()
  }

  /** Loaded when somebody looks at a team. */
  async watchStatus(): Promise<void> {
    if (this.#current === null) return
    const { StatusWatch } = await import('./status/status-watch.ts')
    this.#watch ??= new StatusWatch({
      log: () => this.#current?.log ?? null,
      quarantine: async () => (await this.#current?.openHistory())?.quarantined() ?? null,
      clock: this.#host.clock,
      isWatched: () => this.#current !== null && this.overviews.count > 0,
      changed: () => this.overviews.changed(),
    })
    this.#watch.start()
  }

  /** Rejects with `not-found` if none is set up. */
  async history(): Promise<History> {
    const open = (await this.#current?.openHistory()) ?? null
    if (open !== null) return open
    throw new CodedError('not-found', 'No team history is set up.', {
      hint: 'Enter the PostgreSQL URL of the history under Settings → Team.',
    })
  }

  /** Sessions of the team were added to the store. */
  reload(): void {
    this.#current?.reload()
  }

  async close(): Promise<void> {
    this.#watch?.stop()
    await this.#current?.close()
  }
}
