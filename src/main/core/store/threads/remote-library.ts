/** A StoreLibrary that sends requests to the writer's thread. */
import { CodedError } from '../../../../shared/base/errors.ts'
import type { Batch, ImportOutcome, StoreLibrary } from '../types/store.ts'
import { batchBuffers, batchBytes, type LibraryRequest } from '../types/writer-protocol.ts'

/** Sends a request and returns the store's response. `progress` gets a fraction from 0 to 1. */
export type SendLibraryRequest = <T = void>(
  createRequest: (call: number) => LibraryRequest,
  give?: ArrayBuffer[],
  progress?: (done: number) => void,
) => Promise<T>

/** Bytes of batches per message to the thread, and bytes in flight: enough to keep the store busy. */
const GROUP_BYTES = 256 << 10
const MAX_MESSAGES_IN_FLIGHT = 4

/** Creates a library that sends its requests with `ask`. */
export function createLibrary(ask: SendLibraryRequest): StoreLibrary {
  return {
    async importRecording(about, batches, { signal, onStored } = {}) {
      const stop = (): void => {
        if (signal?.aborted === true) throw new CodedError('cancelled', 'The import was stopped. Nothing was imported.')
      }
      stop()
      let handle = 0
      const there = await ask<ImportOutcome | null>((call) => ({ is: 'import-begin', call: (handle = call), about }))
      if (there !== null) return there
      let stored = 0
      let failure: { readonly thrown: unknown } | null = null
      const inFlight = new Set<Promise<void>>()
      const send = (group: readonly Batch[]): void => {
        const messages = group.reduce((sum, batch) => sum + batch.messages.count, 0)
        const buffers = [...new Set(group.flatMap(batchBuffers))]
        const sent: Promise<void> = ask(
          (call) => ({ is: 'import-append', call, handle, batches: group }),
          buffers,
        ).then(
          () => {
            inFlight.delete(sent)
            stored += messages
            onStored?.(stored)
          },
          (thrown: unknown) => {
            inFlight.delete(sent)
            failure ??= { thrown }
          },
        )
        inFlight.add(sent)
      }
      const whole = (): void => {
        stop()
        if (failure !== null) throw failure.thrown
      }
      try {
        let group: Batch[] = []
        let bytes = 0
        for await (const batch of batches) {
          group.push(batch)
          bytes += batchBytes(batch)
          if (bytes < GROUP_BYTES) continue
          whole()
          send(group)
          group = []
          bytes = 0
          while (inFlight.size >= MAX_MESSAGES_IN_FLIGHT) await Promise.race(inFlight)
        }
        if (group.length > 0) send(group)
        await Promise.all(inFlight)
        whole()
        return await ask<ImportOutcome>((call) => ({ is: 'import-end', call, handle }))
      } catch (thrown) {
        await ask((call) => ({ is: 'import-abort', call, handle })).catch(() => undefined)
        throw thrown
      }
    },
    label: (labels) => ask((call) => ({ is: 'label', call, labels })),
    erase: (sessions) => ask((call) => ({ is: 'erase', call, sessions })),
    async compact(onProgress, signal) {
      const stop = (): void => void ask((call) => ({ is: 'compact-stop', call })).catch(() => undefined)
      const done = ask<{ merged: number; freedBytes: number }>((call) => ({ is: 'compact', call }), [], onProgress)
      if (signal?.aborted === true) stop()
      else signal?.addEventListener('abort', stop, { once: true })
      return done.finally(() => signal?.removeEventListener('abort', stop))
    },
  }
}
