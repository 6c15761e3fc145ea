/** The log entries of this window. */
import type { LogEntry } from '../../../shared/core/status/status.ts'
import type { Transport } from '../../../shared/transport.ts'
import { FrameTask, type RequestFrame } from '../../base/frames.ts'
import { keepStream } from '../../rpc/follow-stream.ts'

const KEEP = 2_000

export class Log {
  entries = $state.raw<readonly LogEntry[]>([])
  dropped = $state(0)
  #pending: LogEntry[] = []
  readonly #task: FrameTask
  readonly #close: () => void

  constructor(transport: Transport, frame?: RequestFrame) {
    this.#task = new FrameTask(() => {
      // A reopened stream repeats entries we already have.
      const last = this.entries.at(-1)?.id ?? -1
      const added = this.#pending.filter((entry) => entry.id > last)
      this.#pending = []
      if (added.length > 0) this.entries = [...this.entries, ...added].slice(-KEEP)
    }, frame)
    this.#close = keepStream(transport, 'log', {}, (value) => {
      // A hidden window paints no frames, so thousands of entries may arrive before the next one.
      this.#pending = [...this.#pending, ...value.entries].slice(-KEEP)
      this.dropped += value.dropped
      this.#task.ask()
    })
  }

  close(): void {
    this.#close()
    this.#task.stop()
  }
}
