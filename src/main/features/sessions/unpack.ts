/**
 * Imports a session file. Its parts are read sequentially, checked, and passed to the store as the original flushes,
 * so that the store recomputes the hash chains. The session becomes visible only after the last part was read and
 * every head matches the one in the file.
 */
import { createHash, type Hash } from 'node:crypto'
import { open, type FileHandle } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { CodedError } from '../../../shared/base/errors.ts'
import type { Source } from '../../../shared/core/recording/session.ts'
import { sessionId, unixMs } from '../../../shared/base/units.ts'
import { newColumns } from '../../core/store/format/message-columns.ts'
import { Regroup } from '../../core/store/format/regroup.ts'
import { decodeRows } from '../../core/store/format/row-codec.ts'
import type { Batch } from '../../core/store/types/messages.ts'
import type { ImportDetails, ImportOutcome, StoreLibrary } from '../../core/store/types/library.ts'
import { checkFlushEntries, checkGaps, readChains } from './chains.ts'
import { decodeEntries, readMeta, type Meta } from './meta.ts'
import {
  checkFileHeader,
  corruptFile,
  HEADER_BYTES,
  MAGIC,
  PART_HEADER_BYTES,
  readPart,
  readPartHeader,
  type PartHeader,
} from './parts.ts'
import type { PackageOptions } from './port.ts'

/** Whether a file starts like a session file; false if it can't be read. */
export async function isPackage(file: string): Promise<boolean> {
  let handle: FileHandle | undefined
  try {
    handle = await open(file, 'r')
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(MAGIC.length), 0, MAGIC.length, 0)
    return bytesRead === MAGIC.length && buffer.equals(MAGIC)
  } catch {
    return false
  } finally {
    await handle?.close()
  }
}

/**
 * Imports a session file into a store. Rejects with `unexpected-answer` (not a session file), `store-newer`,
 * `too-large`, `store-damaged`, `not-allowed` (the store has a different session with that id), `cancelled` or a disk
 * error; then nothing is stored. `library`: that of the store's writer.
 */
export async function importPackage(
  file: string,
  library: StoreLibrary,
  options: PackageOptions = {},
): Promise<ImportOutcome> {
  let handle: FileHandle
  try {
    handle = await open(file, 'r')
  } catch (cause) {
    throw new CodedError('not-found', `Couldn’t open the file ${file}.`, { hint: 'Check its name.', cause })
  }
  try {
    const { size } = await handle.stat()
    const parts = new Parts(handle)
    checkFileHeader(await parts.take(Math.min(HEADER_BYTES, size)))
    const first = await parts.next()
    if (first?.header.kind !== 'meta') throw corruptFile('its first part')
    const meta = readMeta(first.content)
    const { onProgress, signal } = options
    let stored = 0
    const tell = (): void => onProgress?.(Math.min(1, parts.at / Math.max(1, size)), stored)
    return await library.importSession(about(meta, file), batches(meta, parts, size, tell), {
      signal,
      onStored: (messages) => {
        stored = messages
        tell()
      },
    })
  } finally {
    await handle.close()
  }
}

/**
 * A session from another computer keeps its id and gets its own source, so that its data never mixes with data
 * recorded here.
 */
function about(meta: Meta, file: string): ImportDetails {
  const { source, store } = meta
  const of: Source =
    source.kind === 'import'
      ? source
      : {
          kind: 'import',
          user: store.slice(0, 8),
          origin: source.kind === 'demo' ? 'demo' : `service:${source.user}@${source.origin}`,
        }
  return {
    id: sessionId(meta.session),
    source: of,
    startedMs: unixMs(meta.startedMs),
    endedMs: unixMs(meta.endedMs),
    clean: meta.clean,
    from: `session file ${file.split(/[\\/]/).at(-1) ?? ''} of store ${store}`,
    heads: meta.heads,
    label: meta.label,
    bookmarks: meta.bookmarks,
  }
}

/** Yields the flushes of a session in file order. Throws if a part or the file is corrupt. */
async function* batches(meta: Meta, parts: Parts, size: number, tell: () => void): AsyncGenerator<Batch> {
  const second = await parts.next()
  if (second?.header.kind !== 'chns') throw corruptFile('its second part')
  const chains = readChains(second.content)
  checkFlushEntries(chains)
  const flushes = new Regroup({
    connections: meta.connections.map(({ conn }) => conn),
    chains,
    canSkip: meta.source.kind === 'import',
    corrupt: corruptFile,
  })
  const counted = { gaps: 0 }
  // Every connection, including those without messages.
  yield { messages: newColumns(0, 0), entries: [], connections: meta.connections }
  for (;;) {
    const before = parts.digest()
    const part = await parts.next()
    if (part === null) throw corruptFile('its end')
    tell()
    switch (part.header.kind) {
      case 'meta':
      case 'chns':
        throw corruptFile(`part ${part.header.number}`)
      case 'rows': {
        const rows = decodeRows(part.content)
        if (rows === null) throw corruptFile('a run of messages')
        const next = await parts.next()
        if (next?.header.kind !== 'entr') throw corruptFile(`part ${part.header.number + 1}`)
        yield* inTurns(checkGaps(flushes.take(rows, await decodeEntries(next.content)), counted))
        break
      }
      case 'entr':
        throw corruptFile(`part ${part.header.number}`)
      case 'done': {
        const { messages, entries, lastSeq } = flushes.finish()
        if (
          part.header.storedBytes !== part.header.contentBytes ||
          part.content.toString('utf8') !== before ||
          parts.at !== size ||
          messages !== meta.messages ||
          entries !== meta.entries ||
          lastSeq !== meta.lastSeq
        ) {
          throw corruptFile('the whole')
        }
        return
      }
    }
  }
}

/** Flushes passed on before yielding to the event loop. */
const FLUSHES_A_TURN = 256

async function* inTurns(batches: Iterable<Batch>): AsyncGenerator<Batch> {
  let taken = 0
  for (const batch of batches) {
    yield batch
    if (++taken % FLUSHES_A_TURN === 0) await setImmediate()
  }
}

/** Reads the parts of a file in order. */
class Parts {
  at = 0
  #number = 0
  readonly #handle: FileHandle
  readonly #hash: Hash = createHash('sha256')

  constructor(handle: FileHandle) {
    this.#handle = handle
  }

  /** SHA-256 (hex) of all bytes read so far. */
  digest(): string {
    return this.#hash.copy().digest('hex')
  }

  async take(bytes: number): Promise<Buffer> {
    const buffer = Buffer.alloc(bytes)
    let got = 0
    while (got < bytes) {
      const { bytesRead } = await this.#handle.read(buffer, got, bytes - got, this.at + got)
      if (bytesRead === 0) throw corruptFile('its end')
      got += bytesRead
    }
    this.at += bytes
    this.#hash.update(buffer)
    return buffer
  }

  /** Reads the next part; null at the end of the file. */
  async next(): Promise<{ readonly header: PartHeader; readonly content: Buffer } | null> {
    const left = (await this.#handle.stat()).size - this.at
    if (left === 0) return null
    if (left < PART_HEADER_BYTES) throw corruptFile('its end')
    const head = await this.take(PART_HEADER_BYTES)
    const header = readPartHeader(head, this.#number++)
    if (header.storedBytes > left - PART_HEADER_BYTES) throw corruptFile('its end')
    return { header, content: await readPart(header, head, await this.take(header.storedBytes)) }
  }
}
