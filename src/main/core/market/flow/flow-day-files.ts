/**
 * Saves days of order flow in a folder, so that a start doesn't read their trades again. A file is found by what it was
 * made from: instrument, day, and the sessions with the heads of their ledgers. It can be deleted at any time: what is
 * missing, corrupt or of another version is read from the store (docs/decisions/0106-saved-days-of-order-flow.md).
 */
import { createHash } from 'node:crypto'
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../../../base/make-folder.ts'
import type { CellColumns } from '../../../../shared/core/market/flow/cells.ts'
import type { FlowPart } from '../../../../shared/core/market/flow/flow-bars.ts'
import type { GapState } from '../../../../shared/core/market/flow/gap-count.ts'

/** Raise it with every change to what a day contains: the rules of sides, cells, VWAP or gaps, and the layout below. */
export const FLOW_DAYS_VERSION = 1
/** A month of fifty busy instruments. The oldest files go first. */
const MAX_BYTES = 256 << 20
const SAVES_PER_TRIM = 100
const SUFFIX = '.day'

/** What a day was made from. */
export interface FlowDaySource {
  readonly key: string
  readonly sessions: readonly string[]
}

interface Header extends FlowDaySource {
  readonly version: number
  /** Of everything else in the file, as hex. */
  readonly sha256: string
}

/** The saved days of a data folder. */
export const openFlowDays = (dataDir: string): FlowDayFiles => new FlowDayFiles(join(dataDir, 'flow-days'))

/** Sessions erased by this process: a day of theirs may still be on its way. */
const erased = new Set<string>()

export class FlowDayFiles {
  readonly #folder: string
  readonly #maxBytes: number
  #saves = 0

  constructor(folder: string, maxBytes = MAX_BYTES) {
    this.#folder = folder
    this.#maxBytes = maxBytes
  }

  /** The day made from this; null: it isn't saved, or can't be trusted. Never rejects. */
  async load({ key }: FlowDaySource): Promise<FlowPart | null> {
    try {
      return parse(await readFile(this.#fileOf(key)), key)
    } catch {
      return null
    }
  }

  /** Saves a day. Never rejects: without the file, the day is read from the store again. */
  async save(source: FlowDaySource, part: FlowPart): Promise<void> {
    const draft = `${this.#fileOf(source.key)}.${process.pid}-${this.#saves++}.tmp`
    try {
      makeFolder(this.#folder)
      // No sync: after a power cut, the checksum tells a whole file from a part of one.
      await writeFile(draft, encode(source, part), { mode: 0o600 })
      if (source.sessions.some((one) => erased.has(one))) return await rm(draft, { force: true })
      await rename(draft, this.#fileOf(source.key))
      if (this.#saves % SAVES_PER_TRIM === 1) await this.#trim()
    } catch {
      await rm(draft, { force: true }).catch(() => undefined)
    }
  }

  /** Deletes the days made from any of these sessions, and files that can't be read. Rejects with the disk's error. */
  async forget(sessions: readonly string[]): Promise<void> {
    for (const session of sessions) erased.add(session)
    for (const file of await this.#files()) {
      const opened = open(await readFile(file))
      if (opened?.header.sessions.every((one) => !erased.has(one)) !== true) await rm(file, { force: true })
    }
  }

  #fileOf(key: string): string {
    return join(this.#folder, createHash('sha256').update(key).digest('hex') + SUFFIX)
  }

  async #files(): Promise<string[]> {
    const names = await readdir(this.#folder).catch((thrown: NodeJS.ErrnoException) => {
      if (thrown.code === 'ENOENT') return []
      throw thrown
    })
    return names.map((name) => join(this.#folder, name))
  }

  /** Deletes the oldest files beyond the limit. */
  async #trim(): Promise<void> {
    const files = await Promise.all((await this.#files()).map(async (file) => ({ file, ...sizeOf(await stat(file)) })))
    let bytes = files.reduce((sum, one) => sum + one.bytes, 0)
    for (const one of files.toSorted((a, b) => a.savedMs - b.savedMs)) {
      if (bytes <= this.#maxBytes) return
      await rm(one.file, { force: true })
      bytes -= one.bytes
    }
  }
}

const sizeOf = ({ size, mtimeMs }: { readonly size: number; readonly mtimeMs: number }) => ({
  bytes: size,
  savedMs: mtimeMs,
})

/** The numbers of a part apart from its cells. */
const SCALARS = 25
const COLUMNS = ['row', 'buy', 'sell', 'unknown', 'count'] as const

function encode(source: FlowDaySource, { bars, coverage, gapEnds, firstMs, lastMs }: FlowPart): Buffer {
  const cells = bars.cells?.[0]
  if (cells === undefined || bars.startMs.length !== 1) throw new Error('a day is one bar with cells')
  const state = ({ lastMs, isGap, heardMs, isBreak }: GapState) => [lastMs, Number(isGap), heardMs, Number(isBreak)]
  const numbers = new Float64Array([
    ...[bars.startMs, bars.buy, bars.sell, bars.unknown, bars.leastDelta, bars.mostDelta].map(([value]) => value),
    ...[bars.vwap[0], bars.squares[0]],
    ...[coverage.trades, coverage.unknown, coverage.unquoted, coverage.gaps, coverage.breaks],
    ...[...state(gapEnds.before), gapEnds.firstMs, Number(gapEnds.isApart), ...state(gapEnds.end)],
    ...[firstMs, lastMs],
    ...COLUMNS.flatMap((column) => cells[column]),
  ])
  const body = Buffer.from(numbers.buffer)
  const header: Header = { version: FLOW_DAYS_VERSION, ...source, sha256: sha256(source, body) }
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), body])
}

/** The part in a file; null: it isn't the one of this key, or not whole. */
function parse(bytes: Buffer, key: string): FlowPart | null {
  const opened = open(bytes)
  if (opened?.header.key !== key) return null
  // Copied, because a Float64Array begins at a multiple of eight bytes.
  const numbers = new Float64Array(new Uint8Array(opened.body).buffer)
  const rows = (numbers.length - SCALARS) / COLUMNS.length
  if (!Number.isInteger(rows) || rows < 0) return null
  let at = 0
  const next = (): number => numbers[at++]
  const state = (): GapState => ({ lastMs: next(), isGap: next() === 1, heardMs: next(), isBreak: next() === 1 })
  const bars = {
    ...{ startMs: [next()], buy: [next()], sell: [next()], unknown: [next()] },
    ...{ leastDelta: [next()], mostDelta: [next()], vwap: [next()], squares: [next()] },
  }
  const coverage = { trades: next(), unknown: next(), unquoted: next(), gaps: next(), breaks: next() }
  const gapEnds = { before: state(), firstMs: next(), isApart: next() === 1, end: state() }
  const [firstMs, lastMs] = [next(), next()]
  const column = (): number[] => Array.from(numbers.subarray(at, (at += rows)))
  const cells: CellColumns = { row: column(), buy: column(), sell: column(), unknown: column(), count: column() }
  return { bars: { ...bars, cells: [cells] }, coverage, gapEnds, firstMs, lastMs }
}

/** What a file consists of; null: it isn't whole, or of another version. */
function open(bytes: Buffer): { readonly header: Header; readonly body: Uint8Array } | null {
  const end = bytes.indexOf('\n')
  try {
    const header = JSON.parse(bytes.subarray(0, end).toString('utf8')) as Header // proven by its checksum
    const body = bytes.subarray(end + 1)
    return header.version === FLOW_DAYS_VERSION && header.sha256 === sha256(header, body) ? { header, body } : null
  } catch {
    return null
  }
}

const sha256 = ({ key, sessions }: FlowDaySource, body: Uint8Array): string =>
  createHash('sha256')
    .update(JSON.stringify([key, sessions]))
    .update(body)
    .digest('hex')
