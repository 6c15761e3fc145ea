/** Waiting for a thread that was told to end. */
import type { Worker } from 'node:worker_threads'

/**
 * Resolves when the thread has ended by itself; one that does not within `patienceMs` is terminated.
 * A database in a thread that is terminated in mid-turn can take the process with it.
 */
export function waitForThread(thread: Worker, patienceMs = 3_000): Promise<void> {
  return new Promise((resolve) => {
    if (thread.threadId === -1) {
      resolve()
      return
    }
    thread.ref()
    const timer = setTimeout(() => void thread.terminate(), patienceMs)
    thread.once('exit', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
