/** Thread entry: the store's writer. */
import { parentPort, workerData } from 'node:worker_threads'
import { serveWriter } from './core/store/threads/writer.ts'

if (parentPort === null) throw new TypeError('store-worker is a worker thread')
serveWriter(parentPort, (workerData as { readonly file: string }).file) // set by openStoreWriter
