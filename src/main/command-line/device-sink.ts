/** Writes to devices and named pipes. */
import { constants, open as openFile, type Stats } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { CodedError } from '../../shared/base/errors.ts'

/** How often a pipe without a reader is tried again, ms. */
const RETRY_MS = 100

type Write = (bytes: Uint8Array) => Promise<void>

const about = (path: string): Promise<Stats | undefined> => stat(path).catch(() => undefined)

/** Whether a path is a device or a pipe: a file can't take its place. */
export async function isDevice(path: string): Promise<boolean> {
  const there = await about(path)
  return there !== undefined && !there.isFile() && !there.isDirectory() && !there.isSocket()
}

/**
 * Opens a device or a pipe for as long as `use` writes to it. Rejects with `disk-full`, `disk-error`, or `cancelled` if
 * `signal` aborts while a pipe has no reader, or one that takes nothing.
 */
export async function withDevice<T>(path: string, signal: AbortSignal, use: (write: Write) => Promise<T>): Promise<T> {
  try {
    return await ((await about(path))?.isFIFO() === true ? withPipe(path, signal, use) : withFile(path, use))
  } catch (thrown) {
    throw deviceFailure(thrown, path)
  }
}

async function withFile<T>(path: string, use: (write: Write) => Promise<T>): Promise<T> {
  const device = await open(path, 'w')
  try {
    return await use(async (bytes) => {
      for (let from = 0; from < bytes.length;) {
        from += (await device.write(bytes, from, bytes.length - from)).bytesWritten
      }
    })
  } finally {
    await device.close()
  }
}

/** A thread that opens or writes a pipe can't be stopped, so neither blocks. */
async function withPipe<T>(path: string, signal: AbortSignal, use: (write: Write) => Promise<T>): Promise<T> {
  const fd = await openForReader(path, signal)
  const socket = new Socket({ fd, readable: false, writable: true }) // it closes the descriptor
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.on('error', () => undefined) // the write that failed rejects
  const stop = (): void => void socket.destroy(stopped())
  signal.addEventListener('abort', stop)
  try {
    if (signal.aborted) throw stopped()
    return await use(
      (bytes) =>
        new Promise((resolve, reject) => {
          socket.write(bytes, (error) => {
            if (error === null || error === undefined) resolve()
            else reject(signal.aborted ? stopped() : error)
          })
        }),
    )
  } finally {
    signal.removeEventListener('abort', stop)
    socket.destroy()
    await closed
  }
}

/** Opens a pipe once it has a reader; returns the descriptor. */
async function openForReader(path: string, signal: AbortSignal): Promise<number> {
  for (;;) {
    try {
      return await promisify(openFile)(path, constants.O_WRONLY | constants.O_NONBLOCK)
    } catch (thrown) {
      if (codeOf(thrown) !== 'ENXIO') throw thrown
    }
    await wait(RETRY_MS, undefined, { signal }).catch((cause: unknown) => {
      throw new CodedError('cancelled', `No program has opened ${path} to read it.`, { cause })
    })
  }
}

const stopped = (): CodedError => new CodedError('cancelled', 'Stopped before everything was written.')

const codeOf = (thrown: unknown): unknown => (thrown instanceof Error && 'code' in thrown ? thrown.code : undefined)

/** Nothing of a device can be removed or freed, unlike of a file. */
function deviceFailure(thrown: unknown, path: string): unknown {
  const code = codeOf(thrown)
  if (thrown instanceof CodedError || typeof code !== 'string' || !/^E[A-Z]+$/.test(code)) return thrown
  if (code === 'ENOSPC') return new CodedError('disk-full', `${path} has no space left.`, { cause: thrown })
  const why =
    code === 'EPIPE' ? 'its reader closed it' : code === 'EACCES' ? 'you may not write to it' : `it reported ${code}`
  return new CodedError('disk-error', `Couldn’t write ${path}: ${why}.`, { cause: thrown })
}
