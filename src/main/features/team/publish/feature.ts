/** Publishing to a team as a feature of a recorder. Does nothing, and loads nothing for it, unless the host asks for it. */
import { CodedError } from '../../../../shared/base/errors.ts'
import { account } from '../../../core/account/feature.ts'
import { log } from '../../../core/log/feature.ts'
import { recording } from '../../../core/recording/feature.ts'
import { store } from '../../../core/store/feature.ts'
import { live } from '../../../core/views/live-feature.ts'
import { defineFeature, type Started } from '../../../terminal/feature.ts'
import type { PublishOptions } from '../../../terminal/host.ts'
import { readTeamName, type TeamName } from '../names.ts'
import type { TeamLog } from '../nats/team-log.ts'
import type { PublishStatus } from './publishing.ts'

export interface PublishService {
  /** Null: this host doesn't publish. */
  status(): PublishStatus | null
}

export const publish = defineFeature({
  name: 'publish',
  needs: { log, account, store, recording, live },
  async start(
    { log, account: { credentials }, store, recording: { recorder }, live },
    { publish: options, clock },
  ): Promise<Started<PublishService>> {
    if (options === undefined) return { service: { status: () => null } }
    const team = teamOf(options)
    let first = await connectFirst(options, team)
    const { Publishing } = await import('./publishing.ts')
    const say = (level: 'info' | 'warn', text: string, hint?: string): void => {
      log.add(level, 'team', text, hint)
      options.report(hint === undefined ? text : `${text} ${hint}`)
    }
    const { findSigningKey } = await import('./signing-key.ts')
    const key = await findSigningKey(options, () => credentials.keychain(), {
      note: (secret) => log.secrets.note(secret),
      warn: (text, hint) => say('warn', text, hint),
    })
    say('info', `Signing as ${key.publicKey}.`)
    const publishing = new Publishing({
      options,
      team,
      key,
      async connect() {
        const log = first ?? (await connect(options, team))
        first = null
        return log
      },
      reader: store.reader,
      store: () => store.place.file(),
      clock,
      say,
    })
    // A trial needn't hear about settings for production, unless it asks.
    if (!options.allowOld || options.monitors.length > 0) {
      const { examineServers } = await import('../nats/doctor.ts')
      void examineServers(
        options.monitors,
        () => clock.wallMs(),
        (text) => say('warn', text),
      )
    }
    const undo = [
      store.writer.onBegin((begun) => publishing.begin(begun)),
      store.writer.onEvent((event) => {
        if (event.is === 'committed') publishing.committed(event)
      }),
      recorder.onEvent((event) => {
        if (event.is === 'ended') publishing.ended(event.session)
      }),
    ]
    return {
      service: { status: () => publishing.status() },
      async stop() {
        await live.end().catch(() => undefined) // reported by the host, which ends it, too
        await publishing.close()
        for (const off of undo) off()
      },
    }
  },
})

function teamOf({ team }: PublishOptions): TeamName {
  const name = readTeamName(team)
  if (name === null) throw new CodedError('bad-arguments', `"${team}" isn’t a team name.`)
  return name
}

async function connect({ target, recorder, allowOld }: PublishOptions, team: TeamName): Promise<TeamLog> {
  const { connectTeam } = await import('../nats/connect.ts')
  return connectTeam({ target, team, name: `tapedeck record ${recorder}`, allowOld })
}

/** Refusals that waiting can’t change end the command before anything is recorded. */
async function connectFirst(options: PublishOptions, team: TeamName): Promise<TeamLog | null> {
  let log: TeamLog | null = null
  try {
    log = await connect(options, team)
    const { checkPermissions, prepareLog } = await import('./publisher.ts')
    await prepareLog(log, [options.shard])
    await checkPermissions(log, options.shard)
    return log
  } catch (thrown) {
    await log?.close()
    const mayPass = ['offline', 'timeout', 'not-found', 'server-error']
    if (!(thrown instanceof CodedError) || !mayPass.includes(thrown.code)) throw thrown
    return null // the publisher tries again, and says why it can't
  }
}
