/** Thread entry: the store's readers. */
import { parentPort, workerData } from 'node:worker_threads'
import { createDigestFold, FOLD_VERSION } from './core/market/digest.ts'
import { serveReader } from './core/store/threads/reader.ts'

if (parentPort === null) throw new TypeError('reader-worker is a worker thread')
const { file } = workerData as { readonly file: string } // set by openStoreReader
serveReader(parentPort, file, { version: FOLD_VERSION, create: createDigestFold })
