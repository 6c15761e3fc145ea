import type { VerifyReport } from '../../../../shared/core/recording/session.ts'
import { UsageError, type Values } from '../../../command-line/command.ts'
import { TEAM_OPTIONS } from '../nats/options.ts'
import { TRUST_OPTION } from '../sign/trust.ts'
import { HISTORY_OPTION } from './target.ts'

/** The history as `tapedeck verify` verifies it. */
export const verifiableHistory = {
  options: {
    history: { ...HISTORY_OPTION, help: `Verify a team’s history instead. ${HISTORY_OPTION.help}` },
    team: TEAM_OPTIONS.team,
    trust: { ...TRUST_OPTION, help: `Of a history: everything must be signed with this key. ${TRUST_OPTION.help}` },
  },
  example: ['The history of a team instead', '--history postgres://me@db-1/td --team eu'],
  isNamed(values: Values): boolean {
    const isNamed = values.text('history') !== undefined
    if (!isNamed && values.text('team') !== undefined) throw new UsageError('--team requires --history')
    if (!isNamed && values.texts('trust').length > 0) throw new UsageError('--trust requires --history')
    return isNamed
  },
  async verify(values: Values, onProgress: (done: number) => void, signal: AbortSignal): Promise<VerifyReport> {
    const { verifyTeamHistory } = await import('./cli.ts')
    return verifyTeamHistory(values, onProgress, signal)
  },
  async describe(report: VerifyReport, values: Values): Promise<readonly string[]> {
    const { describeAuthors } = await import('../sign/authorship.ts')
    return describeAuthors(report.authors ?? [], values.texts('trust').length > 0)
  },
} as const
