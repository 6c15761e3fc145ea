/** `tapedeck move`: moves the store to another folder while nothing is being recorded. */
import { jsonLine } from '../../base/json-schema.ts'
import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { toFailure } from '../../../shared/base/errors.ts'
import { sizeText } from '../../../shared/base/size-text.ts'
import { moveStore, planMove } from './move.ts'
import { defaultStorePath } from '../../core/settings/paths.ts'
import { createSettingsStore, settingsFile } from '../../core/settings/settings.ts'
import { checkpointStore } from '../../core/store/schema/checkpoint.ts'
import { lockStore } from '../../core/store/schema/lock.ts'
import { defineCommand, UsageError } from '../../command-line/command.ts'
import { EXIT } from '../../command-line/exit.ts'
import { storePath } from '../../core/store/store-path.ts'

export const move = defineCommand({
  examples: [['To a larger disk', '/mnt/large/tapedeck']],
  positionals: 'FOLDER',
  options: {},
  async run(values, context) {
    const [folder, ...others] = values.texts('')
    if (folder === undefined || others.length > 0) throw new UsageError('move takes one folder')
    if (values.text('store') !== undefined) {
      throw new UsageError('move always moves the app’s own store, so it takes no --store')
    }
    const from = storePath(values, context)
    // Fail now if a recorder is running, before copying anything. The lock is taken again when the copy is complete.
    lockStore(from).release()
    const plan = await planMove(from, resolve(folder))
    const source = await open(from, 'r')
    const settings = createSettingsStore(settingsFile(context.dataDir))
    const draw = context.interactive && !values.on('json')
    try {
      const moved = await moveStore({
        ...plan,
        source,
        release: async () => {},
        resume: async () => {},
        lock: lockStore,
        checkpoint: checkpointStore,
        dataDir: context.dataDir,
        keep: (file) =>
          settings.set({ recording: { storePath: file === defaultStorePath(context.dataDir) ? '' : file } }),
        onProgress(done) {
          if (draw) context.err(`\r${Math.floor(done * 100)} % \u001b[K`)
        },
        signal: context.signal,
      })
      if (draw) context.err('\r\u001b[K')
      if (values.on('json')) context.out(jsonLine('move', { from, to: moved.path, bytes: moved.bytes }))
      else context.out(`${moved.path}, ${sizeText(moved.bytes)}.\n`)
      if (moved.leftovers)
        context.err(`Couldn’t remove all files of the old store, ${from}. Delete the rest yourself.\n`)
      return EXIT.ok
    } catch (thrown) {
      const { code, message, hint } = toFailure(thrown)
      if (code !== 'cancelled') throw thrown
      context.err(`${draw ? '\r\u001b[K' : ''}${message} ${hint ?? ''}\n`)
      return EXIT.interrupted
    } finally {
      await source.close()
    }
  },
})
