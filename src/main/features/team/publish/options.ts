/** Options of `tapedeck record --publish`. */
import { hostname } from 'node:os'
import { UsageError, type Context, type Option, type Values } from '../../../command-line/command.ts'
import type { PublishOptions } from '../../../terminal/host.ts'
import { readShard } from '../names.ts'
import { readMonitors } from '../nats/doctor.ts'
import { SEED } from '../sign/key-format.ts'
import { readTeamAddress, TEAM_OPTIONS, UPSTREAM_OPTION } from '../nats/options.ts'

export const PUBLISH_OPTIONS = {
  publish: {
    ...UPSTREAM_OPTION,
    help: `Publish to a team, signed with the NKey seed in TAPEDECK_TEAM_SEED or TAPEDECK_NATS_SEED. ${UPSTREAM_OPTION.help}`,
  },
  ...TEAM_OPTIONS,
  'team-shard': {
    type: 'string',
    value: 'I/N',
    help: 'The part of the team’s instruments recorded here (default: 1/1); auto: a free shard of the plan, with its symbols',
  },
  'recorder-name': {
    type: 'string',
    value: 'TEXT',
    help: 'Name of this recorder in the team (default: the host name)',
  },
  'nats-monitor': {
    type: 'string',
    value: 'URL',
    help: 'Monitoring ports of the NATS servers, http://HOST:8222,…, to check their settings and clocks',
  },
  'spool-max': {
    type: 'string',
    value: 'SIZE',
    help: 'Warn when the spool reaches half of this size, and all of it, such as 50GB',
  },
} as const satisfies Readonly<Record<string, Option>>

type OptionsContext = Pick<Context, 'env' | 'err' | 'log'>

/** Reads the options; undefined without `--publish`. Throws `UsageError`. */
export function readPublish(values: Values, context: OptionsContext): PublishOptions | undefined {
  if (values.text('publish') === undefined) {
    const needless = Object.keys(PUBLISH_OPTIONS).find((name) => values.text(name) !== undefined || values.on(name))
    if (needless !== undefined) throw new UsageError(`--${needless} needs --publish`)
    return undefined
  }
  const text = values.text('team-shard') ?? '1/1'
  const shard = readShard(text)
  if (shard === null) throw new UsageError(`--team-shard takes a part such as 2/5, or auto, not "${text}"`)
  return { ...readRecorder(values, context), ...shard, epoch: 0 }
}

/** The options of a recorder that takes a free shard of the plan. */
export type AutoOptions = Omit<PublishOptions, 'shard' | 'shards' | 'epoch'>

/** Reads the options with `--team-shard auto`. Throws `UsageError`. */
export function readAuto(values: Values, context: OptionsContext): AutoOptions {
  if (values.text('publish') === undefined) throw new UsageError('--team-shard needs --publish')
  return readRecorder(values, context)
}

function readRecorder(values: Values, { env, err, log }: OptionsContext): AutoOptions {
  const recorder = values.text('recorder-name') ?? hostname()
  if (recorder.length === 0 || recorder.length > 256) throw new UsageError('--recorder-name takes 1 to 256 characters')
  return {
    ...readTeamAddress(values, env, 'publish'),
    recorder,
    signingSeed: readSeed(env.TAPEDECK_TEAM_SEED),
    spoolMaxBytes: readSize(values.text('spool-max')),
    monitors: readMonitors(values.text('nats-monitor')),
    report(text) {
      // Unless a person reads along, each sentence is an entry of the log already.
      if (log === undefined || log.format === 'screen') err(`${text}\n`)
    },
  }
}

/** Checks no more than its form: the key is read when it is used. */
function readSeed(text: string | undefined): string | null {
  if (text === undefined || text === '') return null
  if (!SEED.test(text)) throw new UsageError('TAPEDECK_TEAM_SEED isn’t the seed of an NKey, which starts with SU')
  return text
}

function readSize(text: string | undefined): number | null {
  if (text === undefined) return null
  const match = /^(\d+(?:\.\d+)?)(MB|GB|TB)$/.exec(text)
  if (match === null) throw new UsageError(`--spool-max takes a size such as 500MB or 50GB, not "${text}"`)
  const unit = { MB: 1e6, GB: 1e9, TB: 1e12 }[match[2] as 'MB' | 'GB' | 'TB'] // as the pattern says
  return Number(match[1]) * unit
}
