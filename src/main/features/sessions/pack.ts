/** Exports one session as one file, from which another store can recreate it byte for byte. */
import { createHash } from 'node:crypto'
import { open, rm, type FileHandle } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fileFailure, temporaryName, type SafeFileOptions } from '../../base/file-sink.ts'
import { findTarget, giveFinalName } from '../../base/final-name.ts'
import { followUserMask } from '../../base/private-files.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import type { SessionId } from '../../../shared/base/units.ts'
import { sourceKey, type Source } from '../../../shared/core/recording/session.ts'
import { encodeEntries } from '../../core/store/format/entry-codec.ts'
import { entryRow } from '../../core/store/format/ledger.ts'
import { encodeRows } from '../../core/store/format/row-codec.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import { MAX_SESSION_GAPS } from '../../../shared/core/recording/session-bounds.ts'
import { checkFlushEntries, encodeChains } from './chains.ts'
import type { Meta } from './meta.ts'
import { encodePart, fileHeader, tooLarge, type PartKind } from './parts.ts'
import type { PackageDone } from '../../../shared/features/sessions/contract.ts'
import type { PackageOptions } from './port.ts'

/** The fraction of the progress bar that verification takes. */
const VERIFY = 0.4

/**
 * Exports a closed session to a file. Verifies it first, because corrupt data doesn't reproduce the recorded hash
 * heads. The file gets its name only once it is complete. Rejects with `not-found`, `not-allowed` (not closed),
 * `too-large`, `store-damaged`, `cancelled`, `disk-full` or `disk-error`, and then leaves no file behind. `app`: the
 * version that writes it.
 */
export async function exportPackage(
  reader: StoreReader,
  session: SessionId,
  file: string,
  app: string,
  { file: fileOptions = {}, signal, onProgress }: PackageOptions = {},
): Promise<PackageDone> {
  const stop = (): void => {
    if (signal?.aborted === true)
      throw new CodedError('cancelled', 'The export was canceled; no session file was written.')
  }
  const ledger = await reader.ledger(session)
  const report = await reader.verify(session, (done) => onProgress?.(done * VERIFY, 0), signal)
  stop()
  if (!report.ok) {
    throw new CodedError('store-damaged', `Session ${session} is corrupt: ${report.problems[0]?.detail ?? ''}.`, {
      hint: 'Verify the session to list every difference. A session file of it couldn’t be imported anywhere.',
    })
  }
  const { chains, label, startedMs, endedMs, ...facts } = ledger
  const gaps = await reader.gaps({ session })
  // Fail here rather than when somebody imports the file.
  if (gaps.length > MAX_SESSION_GAPS) throw tooLarge('gaps', MAX_SESSION_GAPS)
  checkFlushEntries(chains)
  const bookmarks = await reader.bookmarks(session)
  const meta: Meta = {
    format: 'tapedeck session',
    app,
    ...facts,
    startedMs,
    endedMs,
    source: sourceInFile(facts.source, facts.store),
    heads: { ...facts.heads },
    connections: [...facts.connections],
    // Their key in files is older than the word session.
    gaps: gaps.map(({ fromMs, toMs, fromSeq, toSeq, session: recording, ...gap }) => ({
      ...{ fromMs, toMs, fromSeq, toSeq, recording },
      ...gap,
    })),
    label,
    bookmarks: bookmarks.map(({ atMs, seq, text }) => ({ atMs, seq, text })),
  }
  const out = await PartFile.create(file, fileOptions)
  try {
    await out.part('meta', Buffer.from(JSON.stringify(meta)))
    await out.part('chns', encodeChains(chains))
    let messages = 0
    for await (const batch of reader.replay({ session, afterSeq: 0 })) {
      stop()
      await out.part('rows', encodeRows(batch))
      await out.part('entr', encodeEntries(batch.entries.map(entryRow)))
      messages += batch.count
      onProgress?.(VERIFY + (1 - VERIFY) * Math.min(1, batch.upToSeq / Math.max(1, ledger.lastSeq)), messages)
    }
    if (messages !== ledger.messages) {
      throw new CodedError('store-damaged', `Session ${session} changed while it was being read.`, {
        hint: 'Try again.',
      })
    }
    stop()
    const done = await out.finish()
    onProgress?.(1, messages)
    return { file: resolve(file), messages, ...done }
  } catch (thrown) {
    await out.discard()
    throw fileError(thrown, file)
  }
}

/** Files call the replica of a team's session an import, as every version that reads them does once it has it. */
const sourceInFile = (source: Source, store: string): Meta['source'] =>
  source.kind === 'team'
    ? { kind: 'import', origin: sourceKey(source), user: store.slice(0, 8) }
    : { kind: source.kind, origin: source.origin, user: source.user }

class PartFile {
  readonly #target: string
  readonly #temporary: string
  readonly #replace: boolean | undefined
  #handle: FileHandle | undefined
  readonly #hash = createHash('sha256')
  #parts = 0
  #bytes = 0

  private constructor(target: string, temporary: string, replace: boolean | undefined, handle: FileHandle) {
    this.#target = target
    this.#temporary = temporary
    this.#replace = replace
    this.#handle = handle
  }

  static async create(file: string, { replace, onTemporary }: SafeFileOptions): Promise<PartFile> {
    try {
      const target = await findTarget(file)
      const temporary = temporaryName(target)
      onTemporary?.(temporary)
      const handle = await open(temporary, 'wx', 0o666)
      const out = new PartFile(target, temporary, replace, handle)
      await followUserMask(handle)
      await out.#write(fileHeader())
      return out
    } catch (thrown) {
      throw fileError(thrown, file)
    }
  }

  async part(kind: PartKind, content: Uint8Array): Promise<void> {
    await this.#write(await encodePart(kind, this.#parts++, content))
  }

  async finish(): Promise<{ readonly bytes: number; readonly sha256: string }> {
    await this.part('done', Buffer.from(this.#hash.copy().digest('hex')))
    await this.#handle?.sync()
    await this.#handle?.close()
    this.#handle = undefined
    await giveFinalName(this.#temporary, this.#target, this.#replace)
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') }
  }

  async discard(): Promise<void> {
    await this.#handle?.close().catch(() => undefined)
    await rm(this.#temporary, { force: true }).catch(() => undefined)
  }

  async #write(bytes: Buffer): Promise<void> {
    this.#hash.update(bytes)
    this.#bytes += bytes.length
    for (let at = 0; at < bytes.length;) {
      at += (await this.#handle?.write(bytes, at))?.bytesWritten ?? bytes.length
    }
  }
}

function fileError(thrown: unknown, file: string): unknown {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined
  if (thrown instanceof CodedError || typeof code !== 'string' || !/^E[A-Z]+$/.test(code)) return thrown
  return fileFailure(thrown, file)
}
