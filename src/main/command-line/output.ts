/** Standard output of a command: written completely, or the command fails. */
import { fstatSync, writeSync } from 'node:fs'

/** The parts of a process that output needs; for tests. */
export interface OutputParts {
  /** Pipes and terminals; files are written by `writeSync`, which reports short writes. */
  readonly stream: Pick<NodeJS.WritableStream, 'write' | 'on' | 'once' | 'off'>
  readonly fd: number
  readonly isFile: (fd: number) => boolean
  /** Writes some of the bytes; returns how many. */
  readonly writeSync: (fd: number, bytes: Uint8Array) => number
  /** The first write failed; nothing further is written. */
  readonly onFailure: (error: NodeJS.ErrnoException) => void
}

export interface Output {
  write(text: string | Uint8Array): void
  /** Resolves once the reader has taken what was written, so that memory doesn't grow, or writing failed. */
  drained(): Promise<void>
  /** Resolves once everything was handed to the system, or writing failed. */
  flush(): Promise<void>
  /** The first error other than a reader that went away. */
  readonly failure: NodeJS.ErrnoException | null
}

/** Output of the process at hand. */
export function processOutput(onFailure: OutputParts['onFailure']): Output {
  const isFile = (fd: number): boolean => {
    try {
      const about = fstatSync(fd)
      return about.isFile() || (about.isCharacterDevice() && !process.stdout.isTTY)
    } catch {
      return false // no such descriptor: the stream reports it
    }
  }
  return createOutput({ stream: process.stdout, fd: 1, isFile, writeSync, onFailure })
}

/**
 * Output over a stream and its descriptor. Node's own stream writes a file once and ignores how much of it was
 * written, so a full disk would cut the text without an error.
 */
export function createOutput({ stream, fd, isFile, writeSync: writeSome, onFailure }: OutputParts): Output {
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
      if (direct || failed || !isFull) return
      await new Promise<void>((resolve) => {
        const done = (): void => {
          stream.off('drain', done)
          stream.off('error', done)
          stream.off('close', done)
          isFull = false
          resolve()
        }
        stream.once('drain', done)
        stream.once('error', done)
        stream.once('close', done)
      })
    },
    async flush() {
      if (!direct && !failed) await new Promise<void>((resolve) => stream.write('', () => resolve()))
      // A stream reports its error one turn after the write's callback.
      await new Promise<void>((resolve) => setImmediate(resolve))
    },
    get failure() {
      return failure
    },
  }
}
