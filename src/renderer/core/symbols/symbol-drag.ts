/** Drag and drop of symbols: the payload, drag sources and drop targets. */
import type { WatchSymbol } from '../../../shared/core/settings/settings.ts'
import { ASSET_CLASSES, instrumentId, type InstrumentId } from '../../../shared/base/units.ts'

export interface SymbolPayload extends WatchSymbol {
  readonly instrument: InstrumentId
}

const MIME = 'application/x-tapedeck-symbol'

function payloadOf({ asset, symbol }: WatchSymbol): SymbolPayload {
  return { asset, symbol, instrument: instrumentId(asset, symbol) }
}

/** The payload as drag data. */
export const writePayload = ({ asset, symbol }: WatchSymbol): string => JSON.stringify({ asset, symbol })

/** Parses drag data; null if it isn't a symbol, because anything can be dropped on a window. */
export function readPayload(text: string): SymbolPayload | null {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || !('asset' in value) || !('symbol' in value)) return null
    const asset = ASSET_CLASSES.find((one) => one === value.asset)
    const { symbol } = value
    return asset && typeof symbol === 'string' && symbol !== '' && symbol.length <= 64
      ? payloadOf({ asset, symbol })
      : null
  } catch {
    return null
  }
}

/** Whether a symbol is being dragged. Before the drop, browsers reveal only the data type, not the data. */
export const carriesSymbol = (event: DragEvent): boolean => event.dataTransfer?.types.includes(MIME) ?? false

/** Starts dragging a symbol. Also sets it as text, for drops outside the app. */
export function beginDrag(event: DragEvent, symbol: WatchSymbol): void {
  event.dataTransfer?.setData(MIME, writePayload(symbol))
  event.dataTransfer?.setData('text/plain', symbol.symbol)
  if (event.dataTransfer) event.dataTransfer.effectAllowed = 'copyMove'
}

/** The dropped symbol; null if something else was dropped. */
export function droppedSymbol(event: DragEvent): SymbolPayload | null {
  return readPayload(event.dataTransfer?.getData(MIME) ?? '')
}

/** Makes an element draggable as a symbol: `{@attach draggable(() => symbol)}`. */
export function draggable(symbol: () => WatchSymbol | null): (node: HTMLElement) => () => void {
  return (node) => {
    node.draggable = true
    const start = (event: DragEvent) => {
      const now = symbol()
      if (now) beginDrag(event, now)
      else event.preventDefault()
    }
    node.addEventListener('dragstart', start)
    return () => node.removeEventListener('dragstart', start)
  }
}

/**
 * Makes an element accept dropped symbols. It has `data-symbol-over` while one hovers; its children then ignore the
 * pointer, because a row removed by a new trade would cancel the drop. `parts`: its children accept symbols themselves
 * and take precedence.
 */
export function takesSymbol(
  drop: (payload: SymbolPayload) => void,
  reach: 'whole' | 'parts' = 'whole',
): (node: HTMLElement) => () => void {
  return (node) => {
    let depth = 0
    const show = () =>
      depth > 0 ? node.setAttribute('data-symbol-over', reach) : node.removeAttribute('data-symbol-over')
    const enter = (event: DragEvent) => {
      if (!carriesSymbol(event)) return
      depth++
      show()
      // Accept on entering too: the button may be released before the next move.
      over(event)
    }
    const leave = (event: DragEvent) => {
      if (!carriesSymbol(event)) return
      depth = Math.max(0, depth - 1)
      show()
    }
    const over = (event: DragEvent) => {
      if (event.defaultPrevented || !carriesSymbol(event)) return
      event.preventDefault()
      if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy'
    }
    const end = (event: DragEvent) => {
      depth = 0
      show()
      if (event.defaultPrevented) return
      const payload = droppedSymbol(event)
      if (!payload) return
      event.preventDefault()
      drop(payload)
    }
    const on = [
      ['dragenter', enter],
      ['dragleave', leave],
      ['dragover', over],
      ['drop', end],
    ] as const
    for (const [name, listener] of on) node.addEventListener(name, listener)
    return () => on.forEach(([name, listener]) => node.removeEventListener(name, listener))
  }
}
