/** `tapedeck backup`: backs up all user data to a folder, even while recording, and restores it. */
import { jsonLine } from '../../base/json-schema.ts'
import { join, resolve } from 'node:path'
import { countText } from '../../../shared/base/count-text.ts'
import { sizeText } from '../../../shared/base/size-text.ts'
import { makeBackup } from './backup.ts'
import { restoreBackup } from './restore.ts'
import { createSettingsStore, settingsFile } from '../../core/settings/settings.ts'
import { lockStore } from '../../core/store/schema/lock.ts'
import { storeError } from '../../core/store/schema/sqlite.ts'
import { defineCommand, UsageError } from '../../command-line/command.ts'
import { EXIT } from '../../command-line/exit.ts'
import { storePath } from '../../core/store/store-path.ts'

const stamp = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace(/:/g, '-')

export const backup = defineCommand({
  examples: [
    ['To the current folder', ''],
    ['To another folder', '--out /mnt/safe/tapedeck-friday'],
    ['Restore a backup; the current data is set aside', '--restore /mnt/safe/tapedeck-friday'],
  ],
  options: {
    out: {
      type: 'string',
      value: 'FOLDER',
      help: 'The folder to create (default: ./tapedeck-backup-TIME)',
      file: true,
    },
    restore: { type: 'string', value: 'FOLDER', help: 'Restore this backup instead', file: true },
  },
  async run(values, context) {
    const { clock, dataDir, version } = context
    const nowMs = clock.wallMs()
    const store = storePath(values, context)
    const from = values.text('restore')
    const json = values.on('json')
    if (from !== undefined) {
      if (values.text('out') !== undefined) throw new UsageError('--out and --restore can’t be combined')
      const { storePath: configured } = createSettingsStore(settingsFile(dataDir)).get().recording
      const { list, kept } = await restoreBackup({
        from: resolve(from),
        store,
        dataDir,
        storePath: configured,
        nowMs,
        lock: lockStore,
      })
      const [first = null, second = null] = kept
      if (json) {
        const where = { kept: first, ...(second === null ? {} : { kept_settings: second }) }
        context.out(
          jsonLine('restore', { restored: list.files.length, made: new Date(list.madeMs).toISOString(), ...where }),
        )
      } else {
        context.out(`Restored ${countText(list.files.length, 'file')} as of ${new Date(list.madeMs).toISOString()}.\n`)
        if (kept.length > 0) context.out(`The previous data is in ${kept.join(' and ')}.\n`)
      }
      return EXIT.ok
    }
    const out = resolve(values.text('out') ?? join(process.cwd(), `tapedeck-backup-${stamp(nowMs)}`))
    try {
      const { files } = await makeBackup({
        store,
        dataDir,
        out,
        nowMs,
        version,
        lock: lockStore,
        onPart: (name) => {
          if (context.interactive && !json) context.err(`\r${name} \u001b[K`)
        },
      })
      if (context.interactive && !json) context.err('\r\u001b[K')
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
      if (json) context.out(jsonLine('backup', { out, files: files.length, bytes }))
      else context.out(`${countText(files.length, 'file')}, ${sizeText(bytes)}, in ${out}\n`)
      return EXIT.ok
    } catch (thrown) {
      throw storeError(thrown, store)
    }
  },
})
