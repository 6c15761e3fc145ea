/** The options with which commands reach a team: its name, its NATS servers and the credentials for them. */
import { UsageError, type Context, type Option, type Values } from '../../../command-line/command.ts'
import { readTeamName, type TeamName } from '../names.ts'
import { readNatsTarget, type NatsTarget } from './target.ts'

/** Beside them a command has one whose value is the servers: `publish` or `upstream`. */
export const TEAM_OPTIONS = {
  team: { type: 'string', value: 'NAME', help: 'Name of the team: lower-case letters and digits' },
  'nats-creds': { type: 'string', value: 'FILE', help: 'Credentials file for NATS', file: true },
  'nats-ca': { type: 'string', value: 'FILE', help: 'Certificate authority of the NATS servers, PEM', file: true },
  'allow-old-nats': { type: 'boolean', help: 'Accept nats-server below 2.11, for trials' },
} as const satisfies Readonly<Record<string, Option>>

export const UPSTREAM_OPTION: Option = {
  type: 'string',
  value: 'nats://HOST,…',
  help: 'The team’s NATS servers; passwords go into TAPEDECK_NATS_PASSWORD, NKey seeds into TAPEDECK_NATS_SEED',
}

/** What `connectTeam` needs, but for the name of the program. */
export interface TeamAddress {
  readonly team: TeamName
  readonly target: NatsTarget
  readonly allowOld: boolean
}

/** Reads `--team`. Throws UsageError. */
export function readTeam(values: Values): TeamName {
  const text = values.text('team')
  if (text === undefined) throw new UsageError('name the team with --team')
  const team = readTeamName(text)
  if (team === null) {
    throw new UsageError(`--team takes 1 to 31 lower-case letters and digits, the first one a letter, not "${text}"`)
  }
  return team
}

/** Reads the team and its servers, which `option` names. Throws UsageError. */
export function readTeamAddress(
  values: Values,
  env: Context['env'],
  option: 'publish' | 'upstream' = 'upstream',
): TeamAddress {
  const team = readTeam(values)
  const servers = values.text(option)
  if (servers === undefined) throw new UsageError(`name the team’s NATS servers with --${option} nats://HOST`)
  const files = { creds: values.text('nats-creds'), ca: values.text('nats-ca') }
  return { team, target: readNatsTarget(servers, files, env), allowOld: values.on('allow-old-nats') }
}
