/** A stream that reopens after the connection or the terminal comes back. */
import type { StreamArgs, StreamName, StreamValue } from '../../shared/contracts.ts'
import type { Failure } from '../../shared/base/errors.ts'
import type { Transport } from '../../shared/transport.ts'

const AGAIN_MS = 1_500

/**
 * Subscribes, and resubscribes whenever the stream ends: immediately when the link comes up, otherwise after a pause.
 * Stops if the terminal rejects the arguments. Returns the unsubscribe function.
 */
export function keepStream<K extends StreamName>(
  transport: Transport,
  name: K,
  args: StreamArgs<K>,
  onValue: (value: StreamValue<K>) => void,
  onEnd?: (failure: Failure) => void,
): () => void {
  let stop: (() => void) | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let closed = false
  let ended = false

  const open = () => {
    clearTimeout(timer)
    if (closed) return
    ended = false
    const undo = transport.subscribe(name, args, onValue, (failure) => {
      ended = true
      onEnd?.(failure)
      if (closed || failure.code === 'bad-arguments') return
      timer = setTimeout(open, AGAIN_MS)
    })
    // A refusal may arrive before subscribe has returned.
    if (closed) undo()
    else stop = undo
  }
  const unlink = transport.onLink((up) => {
    if (up && ended && !closed) open()
  })
  open()
  return () => {
    closed = true
    clearTimeout(timer)
    unlink()
    stop?.()
  }
}
