/** Standard output of a command: written completely, or the command fails. */
import { fstatSync, writeSync } from 'node:fs'

/** The parts of a process that output needs; for tests. */
export interface OutputParts {
  /** Pipes and terminals; files are written by `writeSync`, which reports short writes. */
  readonly stream: Pick<NodeJS.WritableStream, 'write' | 'on' | 'once' | 'off'> & { readonly writableLength: number }
  readonly fd: number
  readonly isFile: (fd: number) => boolean
  /** Writes some of the bytes; returns how many. */
  readonly writeSync: (fd: number, bytes: Uint8Array) => number
  /** The first write failed; nothing further is written. */
  readonly onFailure: (error: NodeJS.ErrnoException) => void
  /** Aborted once the command must end: from then on, nothing waits for a reader that stands still. */
  readonly signal: AbortSignal
  /** How long a reader may take nothing after that, ms. */
  readonly patienceMs?: number
}

export interface Output {
  write(text: string | Uint8Array): void
  /** Resolves once the reader has taken what was written, so that memory doesn't grow, or writing failed, or the command must end. */
  drained(): Promise<void>
  /** Resolves once everything was handed to the system, or writing failed. */
  flush(): Promise<void>
  /** The first error other than a reader that went away. A reader that stands still when the command must end is one. */
  readonly failure: NodeJS.ErrnoException | null
}

export function processOutput(onFailure: OutputParts['onFailure'], signal: AbortSignal): Output {
  const isFile = (fd: number): boolean => {
    try {
      const about = fstatSync(fd)
      return about.isFile() || (about.isCharacterDevice() && !process.stdout.isTTY)
    } catch {
      return false // no such descriptor: the stream reports it
    }
  }
  return createOutput({ stream: process.stdout, fd: 1, isFile, writeSync, onFailure, signal })
}

/**
 * Output over a stream and its descriptor. Node's own stream writes a file once and ignores how much of it was
 * written, so a full disk would cut the text without an error.
 */
export function createOutput(parts: OutputParts): Output {
  const { stream, fd, isFile, writeSync: writeSome, onFailure, signal } = parts
  const direct = isFile(fd)
  let failed = false
  let isFull = false
  let failure: NodeJS.ErrnoException | null = null
  const fail = (error: NodeJS.ErrnoException): void => {
    if (failed) return
    failed = true
    // With `| head`, the reader has what it wanted. That isn't a failure.
    if (error.code !== 'EPIPE') failure = error
    onFailure(error)
  }
  stream.on('error', fail)
  return {
    write(text) {
      if (failed) return
      if (!direct) {
        isFull = !stream.write(text)
        return
      }
      try {
        let bytes: Uint8Array = typeof text === 'string' ? Buffer.from(text) : text
        while (bytes.length > 0) bytes = bytes.subarray(writeSome(fd, bytes))
      } catch (thrown) {
        fail(thrown instanceof Error ? thrown : new Error(String(thrown)))
      }
    },
    async drained() {
      if (direct || failed || !isFull || signal.aborted) return
      await new Promise<void>((resolve) => {
        const done = (): void => {
          stream.off('drain', done)
          stream.off('error', done)
          stream.off('close', done)
          signal.removeEventListener('abort', done)
          isFull = false
          resolve()
        }
        stream.once('drain', done)
        stream.once('error', done)
        stream.once('close', done)
        signal.addEventListener('abort', done)
      })
    },
    async flush() {
      if (!direct && !failed && !(await isTaken(parts))) {
        failure ??= new Error('the program that reads it didn’t take everything in time')
      }
      // A stream reports its error one turn after the write's callback.
      await new Promise<void>((resolve) => setImmediate(resolve))
    },
    get failure() {
      return failure
    },
  }
}

const PATIENCE_MS = 2_000

/** Whether everything written to the stream was taken. False: not all, and the command must end. */
function isTaken({ stream, signal, patienceMs = PATIENCE_MS }: OutputParts): Promise<boolean> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined
    const watch = (): void => {
      const before = stream.writableLength
      timer = setTimeout(() => (stream.writableLength < before ? watch() : end(false)), patienceMs)
    }
    const end = (taken: boolean): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', watch)
      resolve(taken)
    }
    if (signal.aborted) watch()
    else signal.addEventListener('abort', watch)
    stream.write('', () => end(true))
  })
}
