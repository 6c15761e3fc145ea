import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  beginDrag,
  carriesSymbol,
  droppedSymbol,
  readPayload,
  takesSymbol,
  writePayload,
} from '../../../../../src/renderer/core/symbols/symbol-drag.ts'

/** As much of a drag as the module uses. */
function drag(type: string, data: Map<string, string>): DragEvent {
  const event = new Event(type, { bubbles: true, cancelable: true })
  const dataTransfer = {
    get types() {
      return [...data.keys()]
    },
    getData: (mime: string) => data.get(mime) ?? '',
    setData: (mime: string, text: string) => void data.set(mime, text),
    effectAllowed: '',
    dropEffect: '',
  }
  return Object.assign(event, { dataTransfer }) as unknown as DragEvent // the parts above are all that is read
}

describe('a dragged symbol', () => {
  it('comes out as it went in', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('crypto', 'forex', 'stocks'),
        fc.string({ minLength: 1, maxLength: 64 }),
        (asset, symbol) => {
          expect(readPayload(writePayload({ asset, symbol }))).toMatchObject({ asset, symbol })
        },
      ),
    )
  })
  it.each([
    '',
    'null',
    '[]',
    '{"asset":"bonds","symbol":"X"}',
    '{"asset":"crypto"}',
    '{"asset":"crypto","symbol":""}',
    '{',
  ])('is not read from %s', (text) => expect(readPayload(text)).toBeNull())
  it('is a text outside, and nothing else is taken for one', () => {
    const data = new Map<string, string>()
    beginDrag(drag('dragstart', data), { asset: 'crypto', symbol: 'BTC-USD' })
    expect(data.get('text/plain')).toBe('BTC-USD')
    expect(carriesSymbol(drag('dragover', data))).toBe(true)
    expect(droppedSymbol(drag('drop', data))?.instrument).toBe('crypto:BTCUSD')
    expect(carriesSymbol(drag('dragover', new Map([['text/plain', 'BTC-USD']])))).toBe(false)
    expect(droppedSymbol(drag('drop', new Map([['text/plain', 'BTC-USD']])))).toBeNull()
  })
  it('marks what it hovers over, and is taken by the innermost part that takes it', () => {
    const data = new Map<string, string>()
    beginDrag(drag('dragstart', data), { asset: 'stocks', symbol: 'AAPL' })
    const outer = document.createElement('div')
    const inner = document.createElement('p')
    outer.append(inner)
    const got: string[] = []
    const undo = takesSymbol(({ symbol }) => got.push(`outer ${symbol}`))(outer)
    takesSymbol(({ symbol }) => got.push(`inner ${symbol}`))(inner)
    // Taken at once: the button may be let go before the next move.
    expect(inner.dispatchEvent(drag('dragenter', data))).toBe(false)
    expect(outer.getAttribute('data-symbol-over')).toBe('whole')
    expect(inner.dispatchEvent(drag('dragover', data))).toBe(false)
    inner.dispatchEvent(drag('drop', data))
    expect(got).toEqual(['inner AAPL'])
    expect(outer.hasAttribute('data-symbol-over')).toBe(false)
    undo()
    outer.dispatchEvent(drag('drop', data))
    expect(got).toEqual(['inner AAPL'])
  })
})
