/** Teams as a feature of a terminal: follows the recorders of a team instead of a source of its own. */
import { CodedError } from '../../../shared/base/errors.ts'
import { TEAM_CALLS, TEAM_STREAMS, type TeamInput } from '../../../shared/features/team/contract.ts'
import { teamSettings } from '../../../shared/features/team/settings.ts'
import type { TeamState } from '../../../shared/features/team/team.ts'
import { jobs } from '../../core/jobs/feature.ts'
import { respond, stream } from '../../rpc/respond.ts'
import { defineFeature } from '../../terminal/feature.ts'
import { addressOfInput, saveSecrets } from './access.ts'
import { connect, JoinedTeam, openHistory, TEAM_NEEDS } from './joined-team.ts'

export const team = defineFeature({
  name: 'team',
  needs: { ...TEAM_NEEDS, jobs },
  settings: [teamSettings],
  start(needs, host) {
    const {
      jobs,
      live,
      settings,
      store: { reader, writer },
      account: { credentials },
    } = needs
    const joined = new JoinedTeam(needs, host)
    live.onSourceChange(() => joined.follow())
    live.onTick(() => joined.tick())
    const join = async (input: TeamInput) => {
      const keychain = await credentials.keychain()
      const chosen = joined.note(await addressOfInput(input, keychain))
      // Check first: wrong servers must not replace working ones.
      const checked = await connect(chosen)
      await checked.close()
      await saveSecrets(input, keychain)
      const { name, upstream, history, ca, allowOldNats, trust } = input
      settings.set({ team: { upstream, history, ca, allowOldNats, trust } })
      joined.given = undefined
      return live.joinTeam(name)
    }
    return {
      service: { state: (): TeamState => joined.state },
      responders: [
        ...respond(TEAM_CALLS, {
          'team.test': async (input) => {
            const { testTeam } = await import('./test-team.ts')
            const read = async () => joined.note(await addressOfInput(input, await credentials.keychain()))
            return testTeam(read, connect, openHistory)
          },
          'team.join': join,
          'team.leave': () => {
            const { given } = joined
            if (given === undefined) return live.leaveTeam()
            throw new CodedError('not-allowed', `Tapedeck was started with options that set team ${given.name}.`, {
              hint: 'To leave it, start Tapedeck without --team.',
            })
          },
          'team.history': async () => {
            const { historyEntries } = await import('./history/fetch.ts')
            const sessions = await (await joined.history()).sessions()
            const stored = new Set((await reader.sessions(true)).map(({ session }) => session))
            return historyEntries(sessions, (session) => stored.has(session))
          },
          'team.fetch': async ({ session }) => {
            const from = await joined.history()
            const place = joined.state?.history ?? ''
            return jobs.start('fetch', `session ${session}`, 'messages', async (progress, signal) => {
              const { fetchFromHistory, findComplete } = await import('./history/fetch.ts')
              const found = await findComplete(from, session)
              await writer.open()
              const onStored = (count: number, all: number): void =>
                progress({ count, done: all > 0 ? count / all : null })
              const { trusted } = await joined.address()
              const options = { place, signal, trusted, onStored }
              const { messages } = await fetchFromHistory(from, writer.library(), found, options)
              joined.reload()
              live.status.historyAdded()
              return { text: `${messages.toLocaleString('en')} messages, verified.`, result: { session, messages } }
            })
          },
        }),
        ...stream(TEAM_STREAMS, {
          team: (_args, wake) => joined.streams.open(wake),
          'team.status': (_args, wake) => {
            const opened = joined.overviews.open(wake)
            void joined.watchStatus()
            return opened
          },
        }),
      ],
      begin: () => joined.follow(),
      stop: () => joined.close(),
    }
  },
})
