/** The simulator's thread, with a way to make it crash: for tests of whoever started it. */
import { BroadcastChannel } from 'node:worker_threads'
import '../../../../../src/simulator/worker.ts'

const orders = new BroadcastChannel('tapedeck test: die')
orders.unref()
orders.onmessage = () => {
  throw new Error('told to die')
}
