/** Teams as a feature of a terminal: follows the recorders of a team instead of a source of its own. */
import { CodedError } from '../../../shared/base/errors.ts'
import { TEAM_CALLS, TEAM_STREAMS, type TeamInput } from '../../../shared/features/team/contract.ts'
import { teamSettings } from '../../../shared/features/team/settings.ts'
import { UNREAD, type TeamOverview } from '../../../shared/features/team/status.ts'
import type { TeamState } from '../../../shared/features/team/team.ts'
import { account } from '../../core/account/feature.ts'
import { jobs } from '../../core/jobs/feature.ts'
import { log } from '../../core/log/feature.ts'
import { settings } from '../../core/settings/feature.ts'
import { store } from '../../core/store/feature.ts'
import { live } from '../../core/views/live-feature.ts'
import { market } from '../../core/views/market-feature.ts'
import { respond, stream } from '../../rpc/respond.ts'
import { wholeStreams } from '../../rpc/state-stream.ts'
import { defineFeature } from '../../terminal/feature.ts'
import { addressOfHost, addressOfInput, addressOfSettings, saveSecrets, type TeamAddress } from './access.ts'
import type { History } from './history/history.ts'
import type { TeamLog } from './nats/team-log.ts'
import type { StatusWatch } from './status/status-watch.ts'
import { Team } from './team-link.ts'

const NAME = 'tapedeck terminal'

/** The clients of NATS and PostgreSQL are loaded here, when a team is used. */
const connect = async ({ team, target, allowOld }: TeamAddress): Promise<TeamLog> =>
  (await import('./nats/connect.ts')).connectTeam({ target, team, name: NAME, allowOld })
const openHistory = async ({ team, history }: TeamAddress): Promise<History | null> =>
  history === null ? null : (await import('./history/history.ts')).openHistory(history, team)

export const team = defineFeature({
  name: 'team',
  needs: { settings, log, store, account, jobs, market, live },
  settings: [teamSettings],
  start(
    { settings, log, store: { reader, writer }, account: { source: control, credentials }, jobs, market, live },
    host,
  ) {
    const { clock } = host
    let current: Team | null = null
    /** From the command line, until another team is joined in a window. */
    let given = host.team
    const streams = wholeStreams((): TeamState => current?.state ?? null)
    let watch: StatusWatch | null = null
    const overviews = wholeStreams((): TeamOverview => (current === null ? null : (watch?.state ?? UNREAD)))
    /** Loaded when somebody looks at a team. */
    const watchStatus = async (): Promise<void> => {
      if (current === null) return
      const { StatusWatch } = await import('./status/status-watch.ts')
      watch ??= new StatusWatch({
        log: () => current?.log ?? null,
        quarantine: async () => (await current?.openHistory())?.quarantined() ?? null,
        clock,
        isWatched: () => current !== null && overviews.count > 0,
        changed: () => overviews.changed(),
      })
      watch.start()
    }
    const changed = (): void => {
      streams.changed()
      live.statusStreams.changed()
    }

    const noted = (address: TeamAddress): TeamAddress => {
      const { password, seed, creds } = address.target
      for (const secret of [password, seed, creds]) if (secret !== null) log.secrets.note(secret)
      const historyPassword = address.history === null ? '' : new URL(address.history.url).password
      if (historyPassword !== '') log.secrets.note(decodeURIComponent(historyPassword))
      return address
    }
    const address = async (): Promise<TeamAddress> => {
      if (given !== undefined) return noted(addressOfHost(given))
      const { account, team } = settings.get()
      return noted(await addressOfSettings(account.team, team, await credentials.keychain()))
    }
    const follow = (): void => {
      const before = current
      current = null
      const closed = before?.close() ?? Promise.resolve()
      if (control.source.kind === 'team') {
        const name = control.source.origin
        current = new Team({
          // The sessions of one team have one follower at a time.
          address: () => closed.then(address),
          name,
          isGiven: given !== undefined,
          reader,
          writer,
          live,
          market,
          clock,
          log: (level, from, text, detail) => log.add(level, from, text, detail),
          changed,
          connect,
          openHistory,
        })
      }
      changed()
      watch?.reset()
      if (overviews.count > 0) void watchStatus()
      overviews.changed()
    }
    live.onSourceChange(follow)
    live.onTick(() => {
      if (current !== null && streams.count > 0) streams.changed()
    })

    const history = async (): Promise<History> => {
      const open = (await current?.openHistory()) ?? null
      if (open !== null) return open
      throw new CodedError('not-found', 'No team history is set up.', {
        hint: 'Enter the PostgreSQL URL of the history under Settings → Team.',
      })
    }
    const rows = async (): Promise<ReadonlySet<string>> =>
      new Set((await reader.sessions(true)).map(({ session }) => session))
    const join = async (input: TeamInput) => {
      const keychain = await credentials.keychain()
      const chosen = noted(await addressOfInput(input, keychain))
      // Check first: wrong servers must not replace working ones.
      const checked = await connect(chosen)
      await checked.close()
      await saveSecrets(input, keychain)
      const { name, upstream, history, ca, allowOldNats, trust } = input
      settings.set({ team: { upstream, history, ca, allowOldNats, trust } })
      given = undefined
      return live.joinTeam(name)
    }
    return {
      service: { state: (): TeamState => current?.state ?? null },
      responders: [
        ...respond(TEAM_CALLS, {
          'team.test': async (input) => {
            const { testTeam } = await import('./test-team.ts')
            const read = async () => noted(await addressOfInput(input, await credentials.keychain()))
            return testTeam(read, connect, openHistory)
          },
          'team.join': join,
          'team.leave': () => {
            if (given === undefined) return live.leaveTeam()
            throw new CodedError('not-allowed', `Tapedeck was started with options that set team ${given.name}.`, {
              hint: 'To leave it, start Tapedeck without --team.',
            })
          },
          'team.history': async () => {
            const { historyEntries } = await import('./history/fetch.ts')
            const sessions = await (await history()).sessions()
            const stored = await rows()
            return historyEntries(sessions, (session) => stored.has(session))
          },
          'team.fetch': async ({ session }) => {
            const from = await history()
            const place = current?.state.history ?? ''
            return jobs.start('fetch', `session ${session}`, 'messages', async (progress, signal) => {
              const { fetchFromHistory, findComplete } = await import('./history/fetch.ts')
              const found = await findComplete(from, session)
              await writer.open()
              const onStored = (count: number, all: number): void =>
                progress({ count, done: all > 0 ? count / all : null })
              const { trusted } = await address()
              const options = { place, signal, trusted, onStored }
              const { messages } = await fetchFromHistory(from, writer.library(), found, options)
              current?.reload()
              live.status.historyAdded()
              return { text: `${messages.toLocaleString('en')} messages, verified.`, result: { session, messages } }
            })
          },
        }),
        ...stream(TEAM_STREAMS, {
          team: (_args, wake) => streams.open(wake),
          'team.status': (_args, wake) => {
            const opened = overviews.open(wake)
            void watchStatus()
            return opened
          },
        }),
      ],
      begin: follow,
      stop: async () => {
        watch?.stop()
        await current?.close()
      },
    }
  },
})
