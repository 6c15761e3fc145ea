/** The terminal's access to its store: file, writer and reader. */
import { overlapSentence } from '../../../shared/features/sessions/overlaps.ts'
import { toFailure } from '../../../shared/base/errors.ts'
import { tightenStore } from '../../base/private-files.ts'
import { defaultStorePath } from '../settings/paths.ts'
import { VERIFY_HINT } from './types/corruption.ts'
import { openStoreReader, openStoreWriter } from './open.ts'
import type { StoreReader } from './types/reader.ts'
import { realStorePath } from './schema/store-path.ts'
import {
  createLateReader,
  createLateWriter,
  type FoundCorruption,
  type LateReader,
  type LateWriter,
} from './late-store.ts'
import type { Log } from '../log/log.ts'
import type { Host } from '../../terminal/host.ts'
import { createStorePlace, type StorePlace } from './store-place.ts'

export interface StoreAccess {
  readonly place: StorePlace
  readonly writer: LateWriter
  readonly reader: LateReader
  /** Opens a separate reader. The caller closes it. */
  readonly openReader: () => Promise<StoreReader>
}

export interface StoreAccessParts {
  readonly host: Pick<Host, 'storeFile' | 'dataDir' | 'workers' | 'mustRecord' | 'settleStore' | 'clock'>
  /** Store file from the settings; '' for the default. */
  readonly storePath: string
  readonly log: Pick<Log, 'add'>
}

/** Opens the writer, if it can, and begins to open the reader; the rest is retried when it is needed. Rejects only with `mustRecord`. */
export async function accessStore({ host, storePath, log }: StoreAccessParts): Promise<StoreAccess> {
  const { workers, clock } = host
  const place = createStorePlace(host.storeFile ?? (storePath || defaultStorePath(host.dataDir)))
  // Earlier versions left stores outside of the app's folder readable by other users.
  if (host.storeFile === undefined && storePath !== '') tightenStore(realStorePath(storePath))
  const openReader = async (): Promise<StoreReader> => openStoreReader({ file: place.file(), worker: workers.reader })
  const writer = createLateWriter(async () => {
    // When opened later than the start, a restore may have been interrupted since.
    const settled = host.settleStore?.(place.file()) ?? null
    if (settled !== null) log.add('warn', 'store', settled)
    const opened = await openStoreWriter({
      file: place.file(),
      worker: workers.store,
      onNotice: ({ message, hint }) => log.add('warn', 'store', message, hint),
    })
    reader.retry()
    return opened
  })
  const reader = createLateReader(
    openReader,
    clock,
    (thrown) => log.add('warn', 'store', `Couldn’t read the history: ${toFailure(thrown).message}`),
    (overlaps) => log.add('warn', 'store', overlapSentence(overlaps)),
    (found) => log.add('warn', 'store', describeCorruption(found), VERIFY_HINT),
  )
  await writer.open().catch((thrown: unknown) => {
    if (host.mustRecord === true) throw thrown // otherwise reported when the session is to begin
  })
  void reader.open().catch(() => undefined) // queries wait for it, and try again
  return { place, writer, reader, openReader }
}

function describeCorruption({ what, source, span }: FoundCorruption): string {
  const of = `of ${source === 'demo' ? 'the demo market' : source}`
  const when = `${formatSpan(span)}, perhaps elsewhere too`
  return what === 'corrupt'
    ? `Stored messages ${of} are corrupt: ${when}. Charts hatch this time; exports and replays of it are refused.`
    : `Stored bars ${of} are corrupt: ${when}. Charts rebuild them from their messages; exports of them are refused.`
}

/** "2026-11-22 06:51:32 to 06:55:57 UTC": whole seconds around the span, or "to now" without an end. */
function formatSpan({ fromMs, toMs }: FoundCorruption['span']): string {
  const from = formatSecond(Math.floor(fromMs / 1_000))
  const to = formatSecond(Math.ceil((toMs ?? Infinity) / 1_000))
  if (to === 'now') return `${from} UTC to now`
  return `${from} to ${to.startsWith(from.slice(0, 11)) ? to.slice(11) : to} UTC`
}

/** An instant in UTC from seconds since the epoch; "now" if it is out of range. */
const formatSecond = (seconds: number): string =>
  Math.abs(seconds) <= 8.64e12 ? new Date(seconds * 1_000).toISOString().slice(0, 19).replace('T', ' ') : 'now'
