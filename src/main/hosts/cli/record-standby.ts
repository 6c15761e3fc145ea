/** What a recorder in standby publishes: the rest of its earlier sessions, which a crash left in its store. */
import { toFailure } from '../../../shared/base/errors.ts'
import { createCredentials } from '../../core/account/credentials.ts'
import { credentialsFile } from '../../core/account/credentials-file.ts'
import { openStoreReader, openStoreWriter } from '../../core/store/open.ts'
import type { TeamName } from '../../features/team/names.ts'
import { connectTeam } from '../../features/team/nats/connect.ts'
import type { AutoOptions } from '../../features/team/publish/options.ts'
import { Publishing } from '../../features/team/publish/publishing.ts'
import { findSigningKey } from '../../features/team/publish/signing-key.ts'
import { Spool } from '../../features/team/publish/spool.ts'
import type { RecordSetup } from './record-once.ts'

/**
 * Publishes and ends the sessions that the store keeps for the team, and reports that this recorder stands by, until
 * `close`. Null if the store keeps none, or can't be opened: then it says why. Never rejects.
 */
export async function publishRest(
  setup: Pick<RecordSetup, 'context' | 'file' | 'account'>,
  options: AutoOptions,
  team: TeamName,
): Promise<{ close(): Promise<void> } | null> {
  const { context, file } = setup
  const opened: { close(): Promise<unknown> }[] = []
  const close = async (): Promise<void> => {
    for (const one of opened.splice(0).reverse()) await one.close().catch(() => undefined)
  }
  try {
    if (new Spool(() => file, team).sessions().length === 0) return null
    // A writer ends what a crash left open, some seconds after it was opened.
    opened.push(await openStoreWriter({ file, worker: context.workers.store }))
    const reader = await openStoreReader({ file, worker: context.workers.reader })
    opened.push(reader)
    const publishing = new Publishing({
      // Nothing is begun here, so it has no shard of its own.
      options: { ...options, shard: 1, shards: 1, epoch: 0 },
      standsBy: true,
      team,
      key: await signingKey(setup, options),
      connect: () =>
        connectTeam({
          target: options.target,
          team,
          allowOld: options.allowOld,
          name: `tapedeck record ${options.recorder}`,
        }),
      reader,
      store: () => file,
      clock: context.clock,
      say: (_, text, hint) => context.err(hint === undefined ? `${text}\n` : `${text} ${hint}\n`),
    })
    // What isn't published yet is published while the next session is recorded.
    opened.push({ close: () => publishing.close(0) })
    return { close }
  } catch (thrown) {
    const { message } = toFailure(thrown)
    context.err(`Earlier sessions aren’t published in standby: ${message} They are once this recorder has a shard.\n`)
    await close()
    return null
  }
}

function signingKey({ context, account }: Pick<RecordSetup, 'context' | 'account'>, options: AutoOptions) {
  const file = credentialsFile(context.dataDir)
  const isPortable = context.portable === true && !file.exists()
  const credentials = createCredentials({
    clock: context.clock,
    file,
    memoryOnly: isPortable || account.account?.password !== undefined,
  })
  return findSigningKey(options, () => credentials.keychain(), {
    note: () => undefined, // nothing that is said here has it
    warn: (text, hint) => context.err(`${text} ${hint}\n`),
  })
}
