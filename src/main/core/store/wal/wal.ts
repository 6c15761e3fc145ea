/**
 * Reads SQLite's write-ahead log without SQLite (https://sqlite.org/walformat.html). SQLite silently ends a log at the
 * first frame with a wrong checksum, so committed transactions behind it would be lost unnoticed.
 */

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
/** The last bit selects the byte order of the checksums. */
const MAGIC = 0x377f0682
/** Page size of every store. Used only if the header is unreadable and nothing else tells. */
const DEFAULT_PAGE_BYTES = 2048
/** Fits a frame with the largest pages. */
const CHUNK_BYTES = 128 << 10

/** The salts of a log's header. Both change whenever SQLite restarts the log. */
export interface LogRound {
  readonly salt1: number
  readonly salt2: number
}

/** The end of a committed transaction in a log. */
export interface LogPosition extends LogRound {
  /** Frames up to here; 0 if the log holds no transaction. */
  readonly frames: number
  /** Running checksum after the last of these frames. */
  readonly sum1: number
  readonly sum2: number
  readonly pageBytes: number
}

/** Reads bytes of the log at an offset and returns how many it read. */
export type ReadLog = (into: Uint8Array, at: number) => number

export interface LogScan {
  readonly isEmpty: boolean
  /** Position after the last transaction that SQLite would read; null without a header. */
  readonly last: LogPosition | null
  /** The requested mark is the end of a transaction in this log. */
  readonly hasMark: boolean
  /** The log ends in or after a frame, and every complete frame before is sound. */
  readonly isSoundToEnd: boolean
  /**
   * Two or more transactions follow the first bad frame. Only one transaction is written at a time, so this is
   * corruption and not an unfinished write.
   */
  readonly hasLostCommits: boolean
}

interface Header {
  readonly salt1: number
  readonly salt2: number
  readonly sum1: number
  readonly sum2: number
  readonly pageBytes: number
  readonly isLittleEndian: boolean
}

/** SQLite's running checksum: two sums over pairs of 32-bit words. */
class Checksum {
  a = 0
  b = 0

  set(a: number, b: number): void {
    this.a = a | 0
    this.b = b | 0
  }

  add(view: DataView, from: number, to: number, isLittleEndian: boolean): void {
    let { a, b } = this
    for (let at = from; at < to; at += 8) {
      a = (a + view.getInt32(at, isLittleEndian) + b) | 0
      b = (b + view.getInt32(at + 4, isLittleEndian) + a) | 0
    }
    this.a = a
    this.b = b
  }

  equals(sum1: number, sum2: number): boolean {
    return this.a === (sum1 | 0) && this.b === (sum2 | 0)
  }
}

function readHeader(read: ReadLog): Header | null {
  const bytes = new Uint8Array(HEADER_BYTES)
  if (read(bytes, 0) < HEADER_BYTES) return null
  const view = new DataView(bytes.buffer)
  const magic = view.getUint32(0)
  if (magic >>> 1 !== MAGIC >>> 1) return null
  const isLittleEndian = (magic & 1) === 0
  const sum = new Checksum()
  sum.add(view, 0, 24, isLittleEndian)
  const [sum1, sum2] = [view.getUint32(24), view.getUint32(28)]
  const size = view.getUint32(8)
  const pageBytes = size === 1 ? 65_536 : size
  if (!sum.equals(sum1, sum2) || pageBytes < 512 || (pageBytes & (pageBytes - 1)) !== 0) return null
  return { salt1: view.getUint32(16), salt2: view.getUint32(20), sum1, sum2, pageBytes, isLittleEndian }
}

/** Reads the salts of a log; null if its header is unreadable or missing. */
export const readRound = (read: ReadLog): LogRound | null => readHeader(read)

const startOf = ({ salt1, salt2, sum1, sum2, pageBytes }: Header): LogPosition => ({
  salt1,
  salt2,
  frames: 0,
  sum1,
  sum2,
  pageBytes,
})

interface Frame {
  readonly number: number
  readonly view: DataView
  readonly at: number
  /** Database size in pages after the transaction that this frame ends; 0 if it ends none. */
  readonly commitPages: number
  readonly salt1: number
  readonly salt2: number
  readonly sum1: number
  readonly sum2: number
}

/** Yields the complete frames after frame `after`, valid or not. A frame is usable until the next one is read. */
function* framesOf(read: ReadLog, pageBytes: number, after: number, buffer: ArrayBuffer): Generator<Frame> {
  const frameBytes = FRAME_HEADER_BYTES + pageBytes
  const most = Math.floor(buffer.byteLength / frameBytes)
  const chunk = new Uint8Array(buffer, 0, most * frameBytes)
  const view = new DataView(buffer)
  for (let number = after; ;) {
    const wholeFrames = Math.floor(read(chunk, HEADER_BYTES + number * frameBytes) / frameBytes)
    for (let i = 0; i < wholeFrames; i++) {
      const at = i * frameBytes
      yield {
        number: ++number,
        view,
        at,
        commitPages: view.getUint32(at + 4),
        salt1: view.getUint32(at + 8),
        salt2: view.getUint32(at + 12),
        sum1: view.getUint32(at + 16),
        sum2: view.getUint32(at + 20),
      }
    }
    if (wholeFrames < most) return
  }
}

/** Whether a frame continues the running checksum, which then includes it. */
function continues(sum: Checksum, frame: Frame, pageBytes: number, isLittleEndian: boolean): boolean {
  const { view, at } = frame
  sum.add(view, at, at + 8, isLittleEndian)
  sum.add(view, at + FRAME_HEADER_BYTES, at + FRAME_HEADER_BYTES + pageBytes, isLittleEndian)
  return sum.equals(frame.sum1, frame.sum2)
}

/**
 * Returns the end of the last transaction of a log with `frames` frames, or null if there is no log. Reads only the
 * header of the last frame, because it holds the checksum of everything before; cheap enough for every commit. Throws
 * if no transaction ends there.
 */
export function readLogEnd(read: ReadLog, frames: number): LogPosition | null {
  const header = readHeader(read)
  if (header === null || frames === 0) return header === null ? null : startOf(header)
  const bytes = new Uint8Array(FRAME_HEADER_BYTES)
  const length = read(bytes, HEADER_BYTES + (frames - 1) * (FRAME_HEADER_BYTES + header.pageBytes))
  const view = new DataView(bytes.buffer)
  const { salt1, salt2, pageBytes } = header
  if (
    length < FRAME_HEADER_BYTES ||
    view.getUint32(4) === 0 ||
    view.getUint32(8) !== salt1 ||
    view.getUint32(12) !== salt2
  )
    throw new RangeError(`frame ${frames} of the log ends no transaction`)
  return { salt1, salt2, frames, sum1: view.getUint32(16), sum2: view.getUint32(20), pageBytes }
}

/** Scans a whole log. `mark`: a known end of a commit, or null. */
export function scanLog(read: ReadLog, mark: LogPosition | null): LogScan {
  const header = readHeader(read)
  const isEmpty = header === null && read(new Uint8Array(1), 0) === 0
  const pageBytes = header?.pageBytes ?? mark?.pageBytes ?? DEFAULT_PAGE_BYTES
  const isLittleEndian = header?.isLittleEndian ?? true
  const sum = new Checksum()
  let last = header === null ? null : startOf(header)
  /** The current salts; null until the first frame if neither the header nor the mark tells. */
  let salts: Pick<LogPosition, 'salt1' | 'salt2'> | null = header ?? mark
  let isSound = header !== null
  let hasMark = last !== null && mark !== null && isSamePosition(last, mark)
  const lostCommits = new LostCommits()
  if (header !== null) sum.set(header.sum1, header.sum2)
  for (const frame of framesOf(read, pageBytes, 0, new ArrayBuffer(CHUNK_BYTES))) {
    salts ??= frame
    const isCurrent = frame.salt1 === salts.salt1 && frame.salt2 === salts.salt2
    if (isSound && isCurrent && continues(sum, frame, pageBytes, isLittleEndian)) {
      if (frame.commitPages === 0 || last === null) continue
      last = { ...last, frames: frame.number, sum1: frame.sum1, sum2: frame.sum2 }
      hasMark ||= mark !== null && isSamePosition(last, mark)
      continue
    }
    // The first frame that SQLite doesn't read. It may be left over from an earlier round of the log.
    isSound = false
    const isChained = lostCommits.isRunning && continues(sum, frame, pageBytes, isLittleEndian)
    lostCommits.add(isCurrent, isChained, frame.commitPages !== 0)
    if (lostCommits.areCertain) break
    sum.set(frame.sum1, frame.sum2)
  }
  return {
    isEmpty,
    last,
    hasMark,
    isSoundToEnd: isSound,
    hasLostCommits: lostCommits.areCertain,
  }
}

function isSamePosition(a: LogPosition, b: LogPosition): boolean {
  return a.salt1 === b.salt1 && a.salt2 === b.salt2 && a.frames === b.frames && a.sum1 === b.sum1 && a.sum2 === b.sum2
}

/**
 * Counts commits behind a bad frame within one checksum chain. A rolled-back transaction leaves a chain with at most
 * one commit, and so does a transaction cut off by a crash.
 */
class LostCommits {
  isRunning = false
  #commits = 0

  add(isCurrent: boolean, isChained: boolean, isCommit: boolean): void {
    if (!isCurrent) {
      // The salts are corrupt: the next frame may still continue this one's checksum.
      this.isRunning = true
      this.#commits = isCommit ? 1 : 0
      return
    }
    if (!isChained) this.#commits = 0
    this.isRunning = true
    if (isCommit) this.#commits++
  }

  get areCertain(): boolean {
    return this.#commits >= 2
  }
}
