// The thread of terminals. It is not TypeScript because windows are compiled without the types of Node.
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

// Test files of a process each have a world of their own, but one `process`.
const shared = (process.tapedeckTerminals ??= {
  thread: new Worker(join(import.meta.dirname, 'terminal-thread.ts'), { execArgv: [], name: 'terminals' }),
  lastId: 0,
})
export const { thread } = shared
thread.unref()

export const nextId = () => (shared.lastId += 1)
