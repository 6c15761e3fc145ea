/** The keys that move what a chart shows. */
import type { ChartPort } from '../../charts/model/chart.ts'

/** Bars that Page Up and Page Down scroll by. */
const PAGE_BARS = 40

/** Moves the view or the crosshair by a key. Returns whether the key was handled. */
export function moveByKey(chart: ChartPort, { key, shiftKey }: Pick<KeyboardEvent, 'key' | 'shiftKey'>): boolean {
  const step = shiftKey ? 10 : 1
  switch (key) {
    case 'ArrowLeft':
      chart.stepCrosshair(-step)
      return true
    case 'ArrowRight':
      chart.stepCrosshair(step)
      return true
    case 'ArrowUp':
    case '+':
      chart.zoom(1.2)
      return true
    case 'ArrowDown':
    case '-':
      chart.zoom(1 / 1.2)
      return true
    case 'PageUp':
      chart.scroll(-PAGE_BARS)
      return true
    case 'PageDown':
      chart.scroll(PAGE_BARS)
      return true
    case 'Home':
      chart.fit()
      return true
    case 'End':
      chart.clearCrosshair()
      chart.scrollToLatest()
      return true
    default:
      return false
  }
}
