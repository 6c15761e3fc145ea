/** A StoreLibrary that calls the writer. */
import { CodedError } from '../../../../shared/base/errors.ts'
import { batchBytes } from '../format/message-columns.ts'
import type { Batch } from '../types/messages.ts'
import type { ImportOutcome, StoreLibrary } from '../types/library.ts'
import { buffersOf, type Call } from '../rpc/rpc.ts'
import type { WriterMethods } from './writer-methods.ts'

/** Bytes of batches per message to the thread, and messages in flight: enough to keep the store busy. */
const GROUP_BYTES = 256 << 10
const MAX_MESSAGES_IN_FLIGHT = 4

/** Creates a library that calls the writer. */
export function createLibrary(call: Call<WriterMethods>): StoreLibrary {
  let imports = 0
  const importSessions: StoreLibrary['importSessions'] = async (parts, { signal, onStored } = {}) => {
    const throwIfCanceled = (): void => {
      if (signal?.aborted === true) throw new CodedError('cancelled', 'The import was stopped. Nothing was imported.')
    }
    /** Those that have begun, of which the last one publishes the others. */
    const handles: number[] = []
    const outcomes: ImportOutcome[] = []
    let stored = 0
    try {
      for (const { about, batches } of parts) {
        throwIfCanceled()
        const handle = ++imports
        const existing = await call('beginImport', [handle, about])
        if (existing !== null && parts.length === 1) return [existing]
        if (existing !== null) throw new TypeError(`parts of an import have new ids, not ${about.id}`)
        const held = [...handles]
        handles.push(handle)
        const before = stored
        const sender = new BatchSender(call, handle, (messages) => onStored?.((stored = before + messages)))
        for await (const batch of batches) {
          if (!sender.add(batch)) continue
          throwIfCanceled()
          await sender.send()
        }
        await sender.finish()
        throwIfCanceled()
        outcomes.push(await call('endImport', [handle, handles.length === parts.length ? held : null]))
      }
      return outcomes
    } catch (thrown) {
      for (const handle of handles) await call('abortImport', [handle]).catch(() => undefined)
      throw thrown
    }
  }
  return {
    async importSession(about, batches, options) {
      const [outcome] = await importSessions([{ about, batches }], options)
      return outcome
    },
    importSessions,
    label: (labels) => call('label', [labels]),
    erase: (sessions) => call('erase', [sessions]),
    compact: (onProgress, signal) => call('compact', [], { onProgress, signal }),
  }
}

/** Sends the batches of an import in groups, a few of them in flight. */
class BatchSender {
  readonly #call: Call<WriterMethods>
  readonly #handle: number
  readonly #onStored: ((messages: number) => void) | undefined
  readonly #inFlight = new Set<Promise<void>>()
  #group: Batch[] = []
  #groupBytes = 0
  #stored = 0
  #failure: { readonly thrown: unknown } | null = null

  constructor(call: Call<WriterMethods>, handle: number, onStored: ((messages: number) => void) | undefined) {
    this.#call = call
    this.#handle = handle
    this.#onStored = onStored
  }

  /** Returns whether the group is large enough to be sent. */
  add(batch: Batch): boolean {
    this.#group.push(batch)
    this.#groupBytes += batchBytes(batch)
    return this.#groupBytes >= GROUP_BYTES
  }

  /** Sends the group and waits until another one may be sent. Throws if an earlier one failed. */
  async send(): Promise<void> {
    this.#throwIfFailed()
    this.#sendGroup()
    while (this.#inFlight.size >= MAX_MESSAGES_IN_FLIGHT) await Promise.race(this.#inFlight)
  }

  /** Sends what remains and waits until everything is stored. Throws if a group failed. */
  async finish(): Promise<void> {
    if (this.#group.length > 0) this.#sendGroup()
    await Promise.all(this.#inFlight)
    this.#throwIfFailed()
  }

  #throwIfFailed(): void {
    if (this.#failure !== null) throw this.#failure.thrown
  }

  #sendGroup(): void {
    const batches = this.#group
    this.#group = []
    this.#groupBytes = 0
    const messages = batches.reduce((sum, batch) => sum + batch.messages.count, 0)
    const transfer = [...new Set(batches.flatMap((batch) => buffersOf(batch.messages)))]
    const sent = this.#call('appendImport', [this.#handle, batches], { transfer })
      .then(() => {
        this.#stored += messages
        this.#onStored?.(this.#stored)
      })
      .catch((thrown: unknown) => {
        this.#failure ??= { thrown }
      })
      .finally(() => this.#inFlight.delete(sent))
    this.#inFlight.add(sent)
  }
}
