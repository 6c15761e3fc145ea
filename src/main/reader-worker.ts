/** Thread entry: the store's readers. */
import { parentPort, workerData } from 'node:worker_threads'
import { serveReader } from './store/reader-worker.ts'

if (parentPort === null) throw new TypeError('reader-worker is a worker thread')
serveReader(parentPort, (workerData as { readonly file: string }).file) // set by openStoreReader
