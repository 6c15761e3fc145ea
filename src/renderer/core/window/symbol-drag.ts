/** A symbol that is dragged: what it carries, and the two ends of the way. */
import type { WatchSymbol } from '../../../shared/core/settings/settings.ts'
import { ASSET_CLASSES, instrumentId, type InstrumentId } from '../../../shared/base/units.ts'

export interface SymbolPayload extends WatchSymbol {
  readonly instrument: InstrumentId
}

const MIME = 'application/x-tapedeck-symbol'

/** What a symbol carries. */
export function payloadOf({ asset, symbol }: WatchSymbol): SymbolPayload {
  return { asset, symbol, instrument: instrumentId(asset, symbol) }
}

/** As the data of a drag. */
export const writePayload = ({ asset, symbol }: WatchSymbol): string => JSON.stringify({ asset, symbol })

/** Reads the data of a drag; null: it is no symbol of ours. Anything can be dropped on a window. */
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

/** Whether what hovers over something is a symbol: while it hovers only its kind is told, not what it carries. */
export const carriesSymbol = (event: DragEvent): boolean => event.dataTransfer?.types.includes(MIME) ?? false

/** Puts a symbol on a drag that begins; as text, too, for a place outside. */
export function beginDrag(event: DragEvent, symbol: WatchSymbol): void {
  event.dataTransfer?.setData(MIME, writePayload(symbol))
  event.dataTransfer?.setData('text/plain', symbol.symbol)
  if (event.dataTransfer) event.dataTransfer.effectAllowed = 'copyMove'
}

/** The symbol of a drop; null: it was something else. */
export function droppedSymbol(event: DragEvent): SymbolPayload | null {
  return readPayload(event.dataTransfer?.getData(MIME) ?? '')
}

/** Lets an element be dragged as a symbol: for `{@attach draggable(() => symbol)}`. */
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
 * Lets symbols be dropped on an element, which wears `data-symbol-over` while one hovers. What is in it is then beyond
 * the pointer's reach: a row that a new print takes away would take the drop along with it. `parts`: what is in it
 * takes symbols itself, and comes first.
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
      // Also what is only just entered takes it: the button may be let go before the next move.
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
