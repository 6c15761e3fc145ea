/** Waits for a duration, or for an end such as Ctrl+C. */
import type { Clock } from '../base/clock.ts'

/** Resolves `time` after `ms` (null: never) or `signal` once aborted. */
export function waitUntil(
  clock: Pick<Clock, 'after'>,
  signal: AbortSignal,
  ms: number | null,
): Promise<'time' | 'signal'> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve('signal')
    const undo = ms === null ? () => {} : clock.after(ms, () => done('time'))
    const aborted = () => done('signal')
    const done = (why: 'time' | 'signal') => {
      undo()
      signal.removeEventListener('abort', aborted)
      resolve(why)
    }
    signal.addEventListener('abort', aborted)
  })
}
