/** The connection test of a team: servers, team, history, in this order. A step that failed is the last one. */
import { toFailure } from '../../../shared/base/errors.ts'
import { countText } from '../../../shared/base/count-text.ts'
import type { TeamTestStep } from '../../../shared/features/team/team.ts'
import type { TeamAddress } from './access.ts'
import { checkHistory } from './history-claim.ts'
import type { History } from './history/history.ts'
import type { TeamLog } from './nats/team-log.ts'
import { throwUnknownTeam } from './status/facts.ts'

export async function testTeam(
  readAddress: () => Promise<TeamAddress>,
  connect: (address: TeamAddress) => Promise<TeamLog>,
  openHistory: (address: TeamAddress) => Promise<History | null>,
): Promise<readonly TeamTestStep[]> {
  const steps: TeamTestStep[] = []
  const attempt = async <T>(
    step: TeamTestStep['step'],
    work: () => Promise<readonly [T, string]>,
  ): Promise<T | null> => {
    try {
      const [value, text] = await work()
      steps.push({ step, ok: true, text })
      return value
    } catch (thrown) {
      const { message, hint = '' } = toFailure(thrown)
      steps.push({ step, ok: false, text: `${message} ${hint}`.trim() })
      return null
    }
  }
  const found = await attempt('servers', async () => {
    const address = await readAddress()
    const log = await connect(address)
    return [{ address, log }, `Connected to ${address.target.servers.join(', ')}, nats-server ${log.serverVersion}.`]
  })
  if (found === null) return steps
  const { address, log } = found
  const team = await attempt('team', async () => {
    const sessions = await log.sessions().catch((thrown: unknown) => throwUnknownTeam(address.team, thrown))
    const open = sessions.filter(({ end }) => end === null)
    const recorders = new Set(open.map(({ recorder }) => recorder))
    return [
      true,
      open.length === 0
        ? `Team ${address.team} has no session that is being recorded.`
        : `${countText(recorders.size, 'recorder')} of team ${address.team}: ${[...recorders].join(', ')}.`,
    ]
  })
  if (team !== null && address.history !== null)
    await attempt('history', async () => {
      const history = await openHistory(address)
      try {
        if (history !== null) await checkHistory(log, history)
        const sessions = (await history?.sessions()) ?? []
        return [true, `The history at ${address.history?.place} has ${countText(sessions.length, 'session')}.`]
      } finally {
        await history?.close()
      }
    })
  await log.close().catch(() => undefined)
  return steps
}
