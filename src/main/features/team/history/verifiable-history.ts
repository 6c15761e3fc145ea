import type { VerifyReport } from '../../../../shared/core/recording/session.ts'
import { UsageError, type Context, type Values } from '../../../command-line/command.ts'
import { TEAM_OPTIONS, UPSTREAM_OPTION } from '../nats/options.ts'
import { TRUST_OPTION } from '../sign/trust.ts'
import { HISTORY_OPTION } from './target.ts'

/** The history as `tapedeck verify` verifies it. */
export const verifiableHistory = {
  options: {
    history: { ...HISTORY_OPTION, help: `Verify a team’s history instead. ${HISTORY_OPTION.help}` },
    ...TEAM_OPTIONS,
    upstream: {
      ...UPSTREAM_OPTION,
      help: `With --history: refuse a database that the team’s archivers don’t use. ${UPSTREAM_OPTION.help}`,
    },
    trust: { ...TRUST_OPTION, help: `With --history: everything must be signed with this key. ${TRUST_OPTION.help}` },
  },
  example: ['The history of a team instead', '--history postgres://me@db-1/td --team eu'],
  isNamed(values: Values): boolean {
    const isNamed = values.text('history') !== undefined
    for (const option of ['team', 'upstream', 'nats-creds', 'nats-ca'])
      if (!isNamed && values.text(option) !== undefined) throw new UsageError(`--${option} requires --history`)
    if (!isNamed && values.texts('trust').length > 0) throw new UsageError('--trust requires --history')
    return isNamed
  },
  async verify(values: Values, context: Context, onProgress: (done: number) => void): Promise<VerifyReport> {
    const { verifyTeamHistory } = await import('./cli.ts')
    return verifyTeamHistory(values, context, onProgress)
  },
  async describe(report: VerifyReport, values: Values): Promise<readonly string[]> {
    const { describeAuthors } = await import('../sign/authorship.ts')
    return describeAuthors(report.authors ?? [], values.texts('trust').length > 0)
  },
} as const
