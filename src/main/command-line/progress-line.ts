/** A progress line on the terminal that redraws itself. */
import type { Context } from './command.ts'

export interface ProgressLine {
  /** Whether anything is drawn at all. */
  readonly shown: boolean
  /** `all` is 0 if the total is unknown. */
  draw(count: number, all: number, more: string, unit: string): void
  clear(): void
}

const EVERY_MS = 200
const BAR = 24

/** Draws on standard error, only where that is a terminal and `wanted`. */
export function createProgressLine(context: Context, wanted: boolean): ProgressLine {
  const shown = context.interactive && wanted
  const startedMs = context.clock.monoNs() / 1e6
  let drawnMs = -Infinity
  return {
    shown,
    draw(count, all, more, unit) {
      const now = context.clock.monoNs() / 1e6
      if (!shown || now - drawnMs < EVERY_MS) return
      drawnMs = now
      const seconds = Math.max(0.001, (now - startedMs) / 1_000)
      const rate = count / seconds
      const done = all === 0 ? null : Math.min(1, count / all)
      const filled = done === null ? 0 : Math.round(done * BAR)
      const bar =
        done === null ? '' : `[${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}] ${Math.floor(done * 100)} %  `
      const left = done === null || rate === 0 || done === 1 ? '' : `, ${lengthText((all - count) / rate)} left`
      context.err(`\r\x1b[K${bar}${count} ${unit}, ${more}, ${Math.round(rate)} ${unit}/s${left}`)
    },
    clear() {
      if (shown) context.err('\r\x1b[K')
    },
  }
}

function lengthText(seconds: number): string {
  const s = Math.ceil(seconds)
  return s < 60
    ? `${s} s`
    : s < 3_600
      ? `${Math.ceil(s / 60)} min`
      : `${Math.floor(s / 3_600)} h ${Math.ceil((s % 3_600) / 60)} min`
}
