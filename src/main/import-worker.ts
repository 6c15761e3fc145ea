/** Thread entry: reads a file for an import. */
import { parentPort, workerData } from 'node:worker_threads'
import { serveReading, type Task } from './features/import/file-reading.ts'

if (parentPort === null) throw new TypeError('import-worker is a worker thread')
serveReading(parentPort, workerData as Task) // set by readIn
