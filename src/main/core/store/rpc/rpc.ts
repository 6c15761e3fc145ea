/**
 * Typed calls to a store thread. One interface lists the methods of a thread, and the types of requests and results
 * follow from it.
 */
import { CodedError, type Failure } from '../../../../shared/base/errors.ts'

type Arguments<M, K extends keyof M> = M[K] extends (...args: infer A) => unknown ? A : never
type Returned<M, K extends keyof M> = M[K] extends (...args: never[]) => infer R ? Awaited<R> : never

/** A call of one of M's methods. */
export type Request<M> = {
  [K in keyof M]: {
    readonly method: K
    readonly args: Arguments<M, K>
    /** Number of the call; 0 if nobody waits for a reply. */
    readonly call: number
    /** One integer that the caller sets to cancel. A thread sees it even while it is busy. */
    readonly cancel?: SharedArrayBuffer | undefined
  }
}[keyof M]

export function createRequest<M, K extends keyof M>(
  method: K,
  args: Arguments<M, K>,
  call = 0,
  cancel?: SharedArrayBuffer,
): Request<M> {
  return { method, args, call, cancel }
}

export type Reply =
  | { readonly is: 'done'; readonly call: number; readonly value: unknown }
  | { readonly is: 'failed'; readonly call: number; readonly failure: Failure }
  | { readonly is: 'progress'; readonly call: number; readonly done: number; readonly messages: number }

export interface CallOptions {
  /** Buffers to hand over instead of copying. */
  readonly transfer?: ArrayBuffer[]
  /** Gets a fraction from 0 to 1 and the messages processed so far. */
  readonly onProgress?: ((done: number, messages: number) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** Calls a method. Rejects with the CodedError that it failed with. */
export type Call<M> = <K extends keyof M>(
  method: K,
  args: Arguments<M, K>,
  options?: CallOptions,
) => Promise<Returned<M, K>>

interface PendingCall {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
  readonly onProgress: CallOptions['onProgress']
}

/** The caller's side: numbers requests and matches replies with them. */
export class Caller<M> {
  readonly #post: (request: Request<M>, transfer: ArrayBuffer[]) => void
  readonly #pending = new Map<number, PendingCall>()
  #calls = 0

  constructor(post: (request: Request<M>, transfer: ArrayBuffer[]) => void) {
    this.#post = post
  }

  /** Whether no call is waiting for its reply. */
  get isIdle(): boolean {
    return this.#pending.size === 0
  }

  readonly call: Call<M> = (method, args, { transfer = [], onProgress, signal } = {}) => {
    const call = ++this.#calls
    const cancel = signal === undefined ? undefined : new SharedArrayBuffer(4)
    const onAbort = (): void => {
      if (cancel !== undefined) Atomics.store(new Int32Array(cancel), 0, 1)
    }
    if (signal?.aborted === true) onAbort()
    signal?.addEventListener('abort', onAbort, { once: true })
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        signal?.removeEventListener('abort', onAbort)
        settle()
      }
      this.#pending.set(call, {
        resolve: (value) => end(() => resolve(value as never)), // the thread replies with what the method returned
        reject: (error) => end(() => reject(error)),
        onProgress,
      })
      this.#post(createRequest<M, typeof method>(method, args, call, cancel), transfer)
    })
  }

  /** Calls a method without waiting for a reply. */
  send<K extends keyof M>(method: K, args: Arguments<M, K>, transfer: ArrayBuffer[] = []): void {
    this.#post(createRequest<M, K>(method, args), transfer)
  }

  settle(reply: Reply): void {
    const pending = this.#pending.get(reply.call)
    if (reply.is === 'progress') return pending?.onProgress?.(reply.done, reply.messages)
    this.#pending.delete(reply.call)
    if (reply.is === 'done') pending?.resolve(reply.value)
    else pending?.reject(failureError(reply.failure))
  }

  /** Rejects every pending call, because no reply will come. */
  rejectAll(error: Error): void {
    const pending = [...this.#pending.values()]
    this.#pending.clear()
    for (const { reject } of pending) reject(error)
  }
}

export const isCanceled = ({ cancel }: { readonly cancel?: SharedArrayBuffer | undefined }): boolean =>
  cancel !== undefined && Atomics.load(new Int32Array(cancel), 0) !== 0

/** The methods `names` of M; each passes its name and arguments to `call`. */
export function forwardCalls<M, K extends keyof M>(
  names: readonly K[],
  call: (method: K, args: Arguments<M, K>) => unknown,
): Pick<M, K> {
  const methods = names.map((name) => [name, (...args: unknown[]) => call(name, args as Arguments<M, K>)])
  return Object.fromEntries(methods) as Pick<M, K> // an entry for each name
}

/** Calls a method of `target` by name with its own arguments, as a typed call has paired them. */
export function callMethod<M>(target: M, name: keyof M, args: unknown[]): unknown {
  return Reflect.apply(target[name] as (...args: unknown[]) => unknown, target, args)
}

/** The buffers of an object's typed arrays, each once, to be transferred. */
export function buffersOf(columns: object): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>()
  for (const part of Object.values(columns) as unknown[]) {
    if (ArrayBuffer.isView(part) && part.buffer instanceof ArrayBuffer) buffers.add(part.buffer)
  }
  return [...buffers]
}

/** Converts a Failure received from a thread back to an error. */
export function failureError({ code, message, hint, detail }: Failure): CodedError {
  return new CodedError(code, message, {
    ...(hint === undefined ? {} : { hint }),
    ...(detail === undefined ? {} : { cause: new Error(detail) }),
  })
}
