/** A recorder of a team without a market, for faults of its servers, its store and itself. */
import { systemClock } from '../../src/main/base/clock.ts'
import { SEAL_AFTER_MS, StoreEngine } from '../../src/main/core/store/threads/engine.ts'
import { openLocalReader, type LocalReader } from '../../src/main/core/store/threads/reader.ts'
import { newSessionId } from '../../src/main/core/store/types/session-id.ts'
import { readTeamName, type TeamName } from '../../src/main/features/team/names.ts'
import { connectTeam } from '../../src/main/features/team/nats/connect.ts'
import { readNatsTarget, type NatsTarget } from '../../src/main/features/team/nats/target.ts'
import type { TeamLog } from '../../src/main/features/team/nats/team-log.ts'
import { makeSeed, readSigningKey } from '../../src/main/features/team/sign/keys.ts'
import { Publishing } from '../../src/main/features/team/publish/publishing.ts'
import { monoNs, unixMs, type SessionId } from '../../src/shared/base/units.ts'
import { DEMO, T0, Writer, type Item } from '../unit/main/core/store/harness.ts'
import { FEEDS, trades } from '../unit/main/features/team/frame/flushes.ts'
import { makeStoreFolder } from './folder.ts'

export const EU = readTeamName('eu') as TeamName

export const targetOf = (servers: string): NatsTarget => readNatsTarget(servers, {}, {})

/** The log of the team `eu`. */
export const openLog = (servers: string): Promise<TeamLog> =>
  connectTeam({ target: targetOf(servers), team: EU, name: 'test', allowOld: true })

/** The same, with servers from 2.11 on: they check what a message follows before they look at its id. */
export async function openStrictLog(servers: string): Promise<TeamLog> {
  const log = await openLog(servers)
  const publish = log.publish.bind(log)
  log.publish = async (...args) => {
    const [shard, session, , previous] = args
    const last = await log.lastOf(shard, session)
    return (last?.sequence ?? 0) === previous ? publish(...args) : { is: 'conflict' }
  }
  return log
}

/** A recorder without a market: commits flushes, and publishes them to `servers`. */
export class TeamRecorder {
  readonly folder = makeStoreFolder()
  readonly said: string[] = []
  now = T0
  readonly engine = new StoreEngine(this.folder.file, () => this.now)
  readonly reader: LocalReader = openLocalReader(this.folder.file)
  readonly #servers: string
  /** How far the clock of this process was moved on, ms. */
  aheadMs = 0
  /** Signs what it publishes. */
  readonly key = readSigningKey(makeSeed())
  readonly #connect: (servers: string) => Promise<TeamLog>
  publishing: Publishing
  #writer = new Writer(FEEDS)
  session: SessionId

  constructor(servers: string, connect = openLog) {
    this.#servers = servers
    this.#connect = connect
    this.publishing = this.open()
    this.session = this.begin()
  }

  /** Publishing as a new process would begin it. */
  open(): Publishing {
    return new Publishing({
      options: {
        target: targetOf(this.#servers),
        team: EU,
        shard: 1,
        shards: 1,
        epoch: 0,
        recorder: 'desk',
        allowOld: true,
        signingSeed: null,
        spoolMaxBytes: null,
        monitors: [],
        report: () => {},
      },
      team: EU,
      connect: () => this.#connect(this.#servers),
      reader: this.reader,
      store: () => this.folder.file,
      clock: { ...systemClock, monoNs: () => monoNs(systemClock.monoNs() + this.aheadMs * 1e6) },
      key: this.key,
      say: (_, text) => this.said.push(text),
    })
  }

  /** The process ends without a word and starts again. */
  async restart(): Promise<void> {
    await this.publishing.close(0)
    this.publishing = this.open()
  }

  begin(id = newSessionId(unixMs(this.now))): SessionId {
    const startedMs = unixMs(this.now)
    this.publishing.begin({ id, source: DEMO, startedMs })
    this.engine.begin(id, DEMO, startedMs)
    this.#writer = new Writer(FEEDS)
    return (this.session = id)
  }

  /** Commits a flush of these items, or of so many trades. */
  commit(what: number | readonly Item[]): void {
    this.engine.commit([this.#writer.batch(typeof what === 'number' ? trades(what) : what)])
    this.publishing.committed({ session: this.session, seq: this.#writer.seq })
  }

  /** Moves what is committed from the journal into blocks. */
  seal(): void {
    this.now += SEAL_AFTER_MS
    this.engine.drain()
  }

  end(): void {
    this.engine.end(unixMs(this.now), [])
    this.engine.drain()
    this.publishing.ended(this.session)
  }

  isCaughtUp(): boolean {
    return this.publishing.status().behind === 0
  }

  async remove(): Promise<void> {
    await this.publishing.close(0)
    await this.reader.close()
    this.engine.close()
    this.folder.remove()
  }
}
