/** Waits for a thread to end. */
import type { Worker } from 'node:worker_threads'

/**
 * Resolves when the thread has ended by itself. After `patienceMs` it is terminated, as a last resort: terminating a
 * thread in the middle of a database call can crash the process.
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
