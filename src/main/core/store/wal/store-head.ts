/**
 * The head of a store: a small file next to it (`tapedeck.db-head`) that records how far the store was committed. It is
 * written after each commit, so it may lag but never leads: a store with less than its head claims has lost data. Code
 * that replaces a store by another one removes its head.
 */
import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import type { LogPosition } from './wal.ts'

export interface Head {
  /** End of the last commit in the write-ahead log; null if the log was empty. */
  readonly position: LogPosition | null
  /** The database file alone held every commit up to that point. */
  readonly isInFile: boolean
  /** Newest row of the store log; null if it had none. */
  readonly log: { readonly n: number; readonly hash: Uint8Array } | null
  /** Number and last seq of the last session written; null if there was none. */
  readonly last: { readonly session: number; readonly seq: number } | null
  /** The session whose close record is the newest row of the store log; null if that row is something else. */
  readonly closed: { readonly session: string; readonly clean: boolean } | null
}

/** "TDH1" */
const MAGIC = 0x54444831
const SLOT_BYTES = 256
/** Two slots in separate disk sectors, written alternately: an interrupted write leaves the other one intact. */
const SLOT_OFFSETS = [0, 512] as const
const SESSION_BYTES = 64
const IN_FILE = 1
const HAS_POSITION = 2
const HAS_LAST = 4
const CLEAN = 8

export const headFile = (store: string): string => `${store}-head`

/** Removes a store's head. Call before replacing the store by another one. */
export const removeHead = (store: string): void => rmSync(headFile(store), { force: true })

/** Reads the head of a store; null if it has none that is readable. */
export function readHead(store: string): Head | null {
  let bytes: Buffer
  try {
    bytes = readFileSync(headFile(store))
  } catch {
    return null
  }
  const slots = SLOT_OFFSETS.map((at) => decode(bytes.subarray(at, at + SLOT_BYTES)))
  return slots.reduce((a, b) => ((b?.counter ?? 0) > (a?.counter ?? 0) ? b : a), null)?.head ?? null
}

/** Writes the head of one store. Throws disk errors. */
export class HeadFile {
  readonly #descriptor: number
  #counter: number

  constructor(store: string) {
    let counter = 0
    try {
      const bytes = readFileSync(headFile(store))
      for (const at of SLOT_OFFSETS)
        counter = Math.max(counter, decode(bytes.subarray(at, at + SLOT_BYTES))?.counter ?? 0)
      this.#descriptor = openSync(headFile(store), 'r+')
    } catch {
      this.#descriptor = openSync(headFile(store), 'w+', 0o600)
    }
    this.#counter = counter
  }

  /** `isDurable` syncs before it returns. Commits don't need that, because a lost head only lags. */
  write(head: Head, isDurable: boolean): void {
    const counter = this.#counter + 1
    writeSync(this.#descriptor, encode(head, counter), 0, SLOT_BYTES, SLOT_OFFSETS[counter % 2])
    this.#counter = counter
    if (isDurable) fsyncSync(this.#descriptor)
  }

  close(): void {
    closeSync(this.#descriptor)
  }
}

function encode({ position, isInFile, log, last, closed }: Head, counter: number): Uint8Array {
  const bytes = Buffer.alloc(SLOT_BYTES)
  const session = Buffer.from(closed?.session ?? '', 'latin1')
  const flags =
    (isInFile ? IN_FILE : 0) |
    (position === null ? 0 : HAS_POSITION) |
    (last === null ? 0 : HAS_LAST) |
    (closed?.clean === true ? CLEAN : 0)
  bytes.writeUInt32LE(MAGIC, 0)
  bytes.writeUInt32LE(flags, 4)
  bytes.writeDoubleLE(counter, 8)
  const { salt1, salt2, frames, sum1, sum2, pageBytes } = position ?? NOWHERE
  for (const [i, word] of [salt1, salt2, frames, sum1, sum2, pageBytes].entries()) bytes.writeUInt32LE(word, 16 + i * 4)
  bytes.writeDoubleLE(log?.n ?? 0, 40)
  if (log !== null) bytes.set(log.hash.subarray(0, 32), 48)
  bytes.writeDoubleLE(last?.session ?? 0, 80)
  bytes.writeDoubleLE(last?.seq ?? 0, 88)
  if (session.length <= SESSION_BYTES) bytes.set(session, 96)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, SLOT_BYTES - 4)), SLOT_BYTES - 4)
  return bytes
}

const NOWHERE: LogPosition = { salt1: 0, salt2: 0, frames: 0, sum1: 0, sum2: 0, pageBytes: 0 }

function decode(bytes: Buffer): { readonly counter: number; readonly head: Head } | null {
  if (bytes.length < SLOT_BYTES || bytes.readUInt32LE(0) !== MAGIC) return null
  if (crc32(bytes.subarray(0, SLOT_BYTES - 4)) !== bytes.readUInt32LE(SLOT_BYTES - 4)) return null
  const flags = bytes.readUInt32LE(4)
  const word = (i: number): number => bytes.readUInt32LE(16 + i * 4)
  const position: LogPosition = {
    salt1: word(0),
    salt2: word(1),
    frames: word(2),
    sum1: word(3),
    sum2: word(4),
    pageBytes: word(5),
  }
  const n = bytes.readDoubleLE(40)
  const session = bytes.toString('latin1', 96, 96 + SESSION_BYTES).replace(/\0+$/, '')
  return {
    counter: bytes.readDoubleLE(8),
    head: {
      position: (flags & HAS_POSITION) === 0 ? null : position,
      isInFile: (flags & IN_FILE) !== 0,
      log: n === 0 ? null : { n, hash: Uint8Array.from(bytes.subarray(48, 80)) },
      last: (flags & HAS_LAST) === 0 ? null : { session: bytes.readDoubleLE(80), seq: bytes.readDoubleLE(88) },
      closed: session === '' ? null : { session, clean: (flags & CLEAN) !== 0 },
    },
  }
}
