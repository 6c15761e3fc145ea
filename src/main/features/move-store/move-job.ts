/** Moves the store from a window: a job that interrupts recording for as short a time as possible. */
import { open, type FileHandle } from 'node:fs/promises'
import type { StoreMoved } from '../../../shared/features/move-store/contract.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import type { JobId } from '../../../shared/core/jobs/jobs.ts'
import { dropPlan, moveStore, planMove, type MovePlan } from './move.ts'
import { checkpointStore } from '../../core/store/schema/checkpoint.ts'
import { lockStore } from '../../core/store/schema/lock.ts'
import type { Jobs } from '../../core/jobs/jobs.ts'
import type { LateReader, LateWriter } from '../../core/store/late-store.ts'
import type { Log } from '../../core/log/log.ts'
import { STORE_AWAY, type StorePlace } from '../../core/store/store-place.ts'
import type { RecorderControl } from '../../core/recording/recorder-control.ts'

export interface MovingOptions {
  readonly place: StorePlace
  /** The app's own folder. */
  readonly dataDir: string
  readonly jobs: Jobs
  readonly reader: Pick<LateReader, 'pause' | 'open'>
  readonly writer: Pick<LateWriter, 'pause' | 'open'>
  readonly recorderControl: Pick<RecorderControl, 'serially' | 'interrupt' | 'begin'>
  readonly replays: () => number
  /** Why the store can't be moved; null if it can. */
  readonly fixed: () => string | null
  /** Saves the new path for the next start. */
  readonly keep: (file: string) => void
  readonly changed: () => void
  readonly log: Log['add']
  /** Free bytes of a folder; default: as reported by the system. */
  readonly free?: ((folder: string) => Promise<number>) | undefined
}

export interface StoreMoving {
  /** Starts a job; its result is a `StoreMoved`. Rejects before that if the store can't be moved now. */
  move(folder: string): Promise<JobId>
  /** Call once nothing has the store open. */
  close(): Promise<void>
}

/** Creates the mover. Call it after everything that opens the store was created. */
export function createStoreMoving(options: MovingOptions): StoreMoving {
  const { place, jobs, reader, writer, recorderControl, log } = options
  /** Handle of the current store file. Closing it while the store is open would drop the store's locks. */
  let source: FileHandle | null = null
  const release = async (): Promise<void> => {
    const last = source
    source = null
    await last?.close()
  }
  async function work(plan: MovePlan, progress: (done: number, bytes: number) => void, signal: AbortSignal) {
    source ??= await open(place.shown, 'r')
    const opened = source
    let hold = (): void => {}
    /** Holds back turning recording on and off until the move is finished. */
    const held = new Promise<void>((resolve) => (hold = resolve))
    try {
      const moved = await moveStore({
        ...plan,
        source: opened,
        lock: lockStore,
        checkpoint: checkpointStore,
        dataDir: options.dataDir,
        signal,
        keep: options.keep,
        onProgress: progress,
        release: () =>
          new Promise((resolve, reject) => {
            void recorderControl
              .serially(async () => {
                await recorderControl.interrupt({
                  code: 'busy',
                  message: STORE_AWAY,
                  hint: 'Live data continues. Messages that arrive during the move aren’t recorded; the chart shows a gap.',
                  closeCode: null,
                })
                place.leave()
                options.changed()
                await reader.pause()
                await writer.pause()
                resolve()
                await held
              })
              .catch(reject)
          }),
        async resume(to) {
          await release()
          place.settle(to)
          hold()
          await writer.open().catch(() => undefined) // beginning the session reports the error
          await reader.open().catch(() => undefined)
          await recorderControl.serially(() => recorderControl.begin())
          options.changed()
        },
      })
      return moved
    } finally {
      hold()
    }
  }
  /** Throws the reason why the store can't be moved now. */
  const refuse = (): void => {
    const fixed = options.fixed()
    if (fixed !== null) throw new CodedError('not-allowed', fixed)
    if (jobs.running() > 0) {
      throw new CodedError('busy', 'The store is in use by another job.', {
        hint: 'Wait for the job or cancel it, then move the store.',
      })
    }
    if (options.replays() > 0) {
      throw new CodedError('busy', 'A replay is open.', { hint: 'Go back to live first, then move the store.' })
    }
  }
  return {
    async move(folder) {
      refuse()
      const plan = await planMove(place.shown, folder, options.free)
      try {
        refuse() // a job or replay may have started in the meantime
      } catch (thrown) {
        await dropPlan(plan)
        throw thrown
      }
      const from = place.shown
      return jobs.start('move', `the store to ${folder}`, 'bytes', async (progress, signal) => {
        const moved: StoreMoved = await work(plan, (done, bytes) => progress({ done, count: bytes, bytes }), signal)
        progress({ count: moved.bytes, bytes: moved.bytes })
        const left = moved.leftovers ? ` Some files of the old store couldn’t be removed from ${from}.` : ''
        log('info', 'store', `The store was moved from ${from} to ${moved.path}.${left}`)
        return { text: left === '' ? moved.path : `${moved.path}.${left}`, result: moved }
      })
    },
    close: release,
  }
}
