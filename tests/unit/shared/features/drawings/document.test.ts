import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { drawingsFile, readDrawings, writeDrawings } from '../../../../../src/shared/features/drawings/document.ts'
import { instrumentId } from '../../../../../src/shared/base/units.ts'
import { anyDrawings, at, drawing } from './samples.ts'

const btc = instrumentId('crypto', 'BTC-USD')
const line = drawing('horizontal', [at(1, 2)], { id: 'a' })

describe('a file of drawings', () => {
  it('gives back exactly what was written', () => {
    fc.assert(
      fc.property(anyDrawings, (drawings) => {
        // JSON has no negative zero, and a place needs none.
        const plain = JSON.parse(JSON.stringify(drawings)) as typeof drawings
        expect(readDrawings(writeDrawings(btc, drawings), btc)).toEqual({ is: 'read', drawings: plain, corrupt: 0 })
      }),
    )
  })
  it('survives any text and any truncation', () => {
    const whole = writeDrawings(btc, [line])
    for (let end = 0; end < whole.length; end++) {
      expect(readDrawings(whole.slice(0, end), btc)).toEqual({ is: 'garbage' })
    }
    fc.assert(fc.property(fc.json(), (text) => ['garbage', 'read', 'newer'].includes(readDrawings(text, btc).is)))
    expect(readDrawings(writeDrawings(instrumentId('stocks', 'IBM'), [line]), btc).is).toBe('garbage')
  })
  it('leaves out what is corrupt and keeps the rest', () => {
    const document = {
      version: 1,
      instrument: btc,
      drawings: [
        line,
        { ...line, id: 'b', kind: 'spiral' },
        { ...line, id: 'c', points: [] },
        { ...line, id: 'd', points: [{ ms: 1, price: null }] },
        line,
        7,
        { ...line, id: 'e', kind: 'text', text: 'x'.repeat(501) },
      ],
    }
    expect(readDrawings(JSON.stringify(document), btc)).toEqual({ is: 'read', drawings: [line], corrupt: 6 })
    // 1e999 is valid JSON, and infinite.
    const infinite = JSON.stringify({ ...document, drawings: [line] }).replace('"price":2', '"price":1e999')
    expect(readDrawings(infinite, btc)).toEqual({ is: 'read', drawings: [], corrupt: 1 })
  })
  it('is read in the version before, and left alone in a newer one', () => {
    const text = writeDrawings(btc, [line])
    expect(readDrawings(text.replace('"version":2', '"version":1'), btc)).toMatchObject({ is: 'read', corrupt: 0 })
    expect(readDrawings(text.replace('"version":2', '"version":3'), btc)).toEqual({ is: 'newer', version: 3 })
  })
  it('has a name that every file system takes and no two instruments share', () => {
    expect(drawingsFile(btc)).toBe('crypto-BTCUSD.json')
    expect(drawingsFile(instrumentId('stocks', '../../etc/passwd'))).toMatch(/^stocks-[A-Z0-9_a-f]+\.json$/)
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (one, other) => {
        const [a, b] = [instrumentId('stocks', one), instrumentId('stocks', other)]
        expect(drawingsFile(a).toLowerCase() === drawingsFile(b).toLowerCase()).toBe(a === b)
      }),
    )
  })
})
