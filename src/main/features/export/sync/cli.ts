/** `tapedeck sync`: keeps a partitioned Parquet dataset up to date with the store. */
import { jsonLine } from '../../../base/json-schema.ts'
import { resolve } from 'node:path'
import { CodedError } from '../../../../shared/base/errors.ts'
import { countText } from '../../../../shared/base/count-text.ts'
import { FEED_IDS, isFeedId } from '../../../../shared/base/units.ts'
import { defineCommand, UsageError } from '../../../command-line/command.ts'
import { EXIT, exitWhenStopped } from '../../../command-line/exit.ts'
import { createProgressLine } from '../../../command-line/progress-line.ts'
import { duration } from '../../../command-line/times.ts'
import { waitUntil } from '../../../base/clock.ts'
import { withReader } from '../../../core/store/with-reader.ts'
import { syncDataset, type Synced } from './sync.ts'

const FORMATS = ['parquet'] as const
const EVERY_MS = 10_000
/** Shorter intervals would only keep a processor busy, ms. */
const MIN_EVERY_MS = 1_000
const NOTHING: Synced = { files: 0, rows: 0, bytes: 0 }

export const sync = defineCommand({
  positionals: 'DIR',
  examples: [
    ['Everything stored of the only source, and later only what is new', 'dataset'],
    ['One feed, every ten seconds while it is being recorded', 'dataset -f crypto/XT --follow'],
  ],
  options: {
    feed: { type: 'string', multiple: true, value: 'FEED', help: 'Only this feed; repeatable', words: FEED_IDS },
    source: { type: 'string', value: 'KEY', help: 'The source; required if the store has several' },
    format: { type: 'string', value: 'parquet', help: 'Format of the files (default: parquet)', words: FORMATS },
    follow: { type: 'boolean', help: 'Keep running until Ctrl+C or SIGTERM' },
    every: { type: 'string', value: '10s', help: 'With --follow: how often, at least each second (default: 10s)' },
  },
  async run(values, context) {
    const [dir, ...more] = values.texts('')
    if (dir === undefined || more.length > 0) throw new UsageError('sync takes one folder')
    const format = values.text('format') ?? 'parquet'
    if (format !== 'parquet') throw new UsageError(`--format takes parquet, not "${format}"`)
    const feeds = values.texts('feed')
    const unknown = feeds.find((feed) => !isFeedId(feed))
    if (unknown !== undefined) throw new UsageError(`--feed takes one of ${FEED_IDS.join(', ')}, not "${unknown}"`)
    if (values.text('every') !== undefined && !values.on('follow')) throw new UsageError('--every needs --follow')
    const everyMs = duration(values, 'every') ?? EVERY_MS
    if (everyMs < MIN_EVERY_MS) throw new UsageError('--every takes at least 1s')
    const root = resolve(dir)
    const json = values.on('json')
    return withReader(values, context, async (reader) => {
      for (;;) {
        const line = createProgressLine(context, !json)
        const done = await syncDataset(reader, {
          root,
          source: values.text('source'),
          feeds: feeds.length === 0 ? null : feeds.filter(isFeedId),
          signal: context.signal,
          onProgress: ({ files, rows }) => line.draw(rows, 0, countText(files, 'file'), 'rows'),
        })
          .catch((thrown: unknown) => {
            // What another run writes now is up to date at the next turn.
            if (!values.on('follow') || !(thrown instanceof CodedError && thrown.code === 'busy')) throw thrown
            return NOTHING
          })
          .finally(() => line.clear())
        const { files, rows, bytes } = done
        if (json) context.out(jsonLine('sync', { files, rows, bytes }))
        else if (files > 0 || !values.on('follow')) {
          context.out(`${countText(files, 'file')}, ${countText(rows, 'row')}, ${countText(bytes, 'byte')}\n`)
        }
        if (!values.on('follow')) return EXIT.ok
        if ((await waitUntil(context.clock, context.signal, everyMs)) === 'signal')
          return exitWhenStopped(context.signal)
      }
    })
  },
})
