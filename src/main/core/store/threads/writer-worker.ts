/** Runs the writer's loop in a thread, behind a message port. */
import type { MessagePort } from 'node:worker_threads'
import { toFailure } from '../../../../shared/base/errors.ts'
import { StoreEngine } from './engine.ts'
import type { WriterReply, WriterRequest } from '../types/writer-protocol.ts'
import { WriterLoop } from './writer-loop.ts'

/** Opens the store and serves the port until `close`. */
export function serveWriter(port: MessagePort, file: string): void {
  const reply = (message: WriterReply, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer)
  let engine: StoreEngine
  try {
    engine = new StoreEngine(file)
  } catch (thrown) {
    reply({ is: 'failed', call: 0, failure: toFailure(thrown) })
    port.close()
    return
  }
  const loop = new WriterLoop(engine, (message, give) => {
    reply(message, give)
    if (message.is === 'died') port.close() // ends the thread
  })
  // The port carries only what StoreWriter sends.
  port.on('message', (request: WriterRequest) => {
    loop.handle(request)
    // The loop replies `done` in this turn or a later one. After that only the port would keep the thread alive.
    if (request.is === 'close') port.unref()
  })
  reply({ is: 'opened', notices: engine.notices })
}
