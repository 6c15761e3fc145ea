// The thread of terminals. It is not TypeScript because windows are compiled without the types of Node.
import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

async function start() {
  const thread = new Worker(join(import.meta.dirname, 'terminal-thread.ts'), { execArgv: [], name: 'terminals' })
  await once(thread, 'message') // it has loaded its modules
  thread.unref()
  return { thread, lastId: 0 }
}

// Test files of a process each have a world of their own, but one `process`.
const shared = await (process.tapedeckTerminals ??= start())
export const { thread } = shared

export const nextId = () => (shared.lastId += 1)
