import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createDrawings } from '../../../../../src/main/features/drawings/drawings.ts'
import { drawingsFolder } from '../../../../../src/main/features/drawings/drawings-file.ts'
import type { DrawingsFiles } from '../../../../../src/main/features/drawings/port.ts'
import { drawingStreams } from '../../../../../src/main/features/drawings/streams.ts'
import { MAX_DRAWINGS, type Drawing, type DrawingMarket } from '../../../../../src/shared/features/drawings/types.ts'
import { instrumentId } from '../../../../../src/shared/base/units.ts'
import { at, drawing } from '../../../shared/features/drawings/samples.ts'
import { makeFolder } from '../../../../kit/folder.ts'

const btc = instrumentId('crypto', 'BTC-USD')
const ibm = instrumentId('stocks', 'IBM')
const line = (id: string) => drawing('horizontal', [at(1, 2)], { id })
const put = (...drawings: Drawing[]) => ({ put: drawings, remove: [], order: null })

let folder: string
let problems: string[]
beforeEach(() => {
  folder = join(makeFolder('drawings'), 'drawings')
  problems = []
})
const open = (keeper: DrawingsFiles = drawingsFolder(folder), market: DrawingMarket = 'service') =>
  createDrawings({ files: keeper, market, problem: (text) => problems.push(text) })

describe('the drawings of a terminal', () => {
  it('are there again after a restart, each instrument by itself', () => {
    const first = open()
    expect(first.get(btc)).toEqual({ instrument: btc, revision: 0, drawings: [] })
    first.edit(btc, put(line('a'), line('b')))
    first.edit(ibm, put(line('c')))
    expect(first.edit(btc, { put: [], remove: ['a'], order: null }).revision).toBe(2)
    const again = open()
    expect(again.get(btc).drawings).toEqual([line('b')])
    expect(again.get(ibm).drawings).toEqual([line('c')])
    expect(readdirSync(folder).sort()).toEqual(['crypto-BTCUSD.json', 'stocks-IBM.json'])
    expect(problems).toEqual([])
  })
  it('set a corrupt file aside, load its intact part, and continue', () => {
    open().edit(btc, put(line('a'), line('b')))
    const file = join(folder, 'crypto-BTCUSD.json')
    const text = readFileSync(file, 'utf8').replace('"horizontal"', '"spiral"')
    writeFileSync(file, text)
    const drawings = open()
    expect(drawings.get(btc).drawings).toEqual([line('b')])
    expect(problems).toEqual([
      'One drawing of crypto:BTCUSD couldn’t be read; the file was saved as crypto-BTCUSD.json.bad.',
    ])
    expect(drawings.get(btc).problem).toBe(problems[0]) // the window says so, too
    expect(open().get(btc)).toEqual({ instrument: btc, revision: 0, drawings: [line('b')] }) // without an edit, too
    expect(drawings.edit(btc, put(line('c'))).problem).toBeUndefined()
    expect(readFileSync(`${file}.bad`, 'utf8')).toBe(text)
    expect(open().get(btc).drawings).toEqual([line('b'), line('c')])

    writeFileSync(file, '\u0000garbage')
    expect(open().get(btc).drawings).toEqual([])
    expect(problems.at(-1)).toMatch(/corrupt; the file was saved as/)
  })
  it('leave a file of a newer version as it is', () => {
    mkdirSync(folder)
    const file = join(folder, 'crypto-BTCUSD.json')
    const text = JSON.stringify({ version: 99, instrument: btc, drawings: 'in another shape' })
    writeFileSync(file, text)
    const drawings = open()
    expect(drawings.get(btc).drawings).toEqual([])
    expect(() => drawings.edit(btc, put(line('a')))).toThrow('from a newer Tapedeck')
    expect(readFileSync(file, 'utf8')).toBe(text)
  })
  it('never write over drawings that couldn’t be read', () => {
    const saved: string[] = []
    const keeper: DrawingsFiles = {
      load: () => {
        throw new Error('EACCES')
      },
      save: (name) => saved.push(name),
      setAside: (name) => name,
    }
    const drawings = open(keeper)
    expect(drawings.get(btc).drawings).toEqual([])
    expect(() => drawings.edit(btc, put(line('a')))).toThrow('Couldn’t read the drawings')
    expect(saved).toEqual([])
  })
  it('stay as they were when they cannot be saved, or are too many', () => {
    let full = false
    const kept = drawingsFolder(folder)
    const drawings = open({
      ...kept,
      save(name, text) {
        if (full) throw new Error('ENOSPC')
        kept.save(name, text)
      },
    })
    drawings.edit(btc, put(line('a')))
    full = true
    expect(() => drawings.edit(btc, put(line('b')))).toThrow('Couldn’t save')
    expect(drawings.get(btc)).toEqual({ instrument: btc, revision: 1, drawings: [line('a')] })
    full = false
    const many = Array.from({ length: MAX_DRAWINGS }, (_, i) => line(`n${i}`))
    expect(() => drawings.edit(btc, put(...many))).toThrow(`up to ${MAX_DRAWINGS}`)
    expect(open().get(btc).drawings).toEqual([line('a')])
  })
  it('are sent to every window that shows the instrument, and to no other', () => {
    const drawings = open()
    const streams = drawingStreams({ service: drawings, demo: open(drawingsFolder(folder, 'demo'), 'demo') })
    let woken = 0
    const mine = streams({ market: 'service', instrument: btc }, () => woken++)
    const other = streams({ market: 'service', instrument: ibm }, () => expect.fail('woken for another instrument'))
    const demo = streams({ market: 'demo', instrument: btc }, () => expect.fail('woken for another market'))
    expect(mine.take()?.drawings).toEqual([])
    expect(other.take()?.drawings).toEqual([])
    drawings.edit(btc, put(line('a')))
    drawings.edit(btc, put(line('b')))
    expect(woken).toBe(2)
    expect(mine.take()).toEqual({ instrument: btc, revision: 2, drawings: [line('a'), line('b')] })
    expect(mine.take()).toBeUndefined()
    mine.close()
    drawings.edit(btc, put(line('c')))
    expect(woken).toBe(2)
    expect(demo.take()?.drawings).toEqual([])
    demo.close()
    other.close()
  })
})

describe('drawings of the demo market', () => {
  const demo = () => open(drawingsFolder(folder, 'demo'), 'demo')

  it('never show on an account, nor the other way round', () => {
    demo().edit(btc, put(line('practice')))
    open().edit(btc, put(line('real')))
    expect(demo().get(btc).drawings).toEqual([line('practice')])
    expect(open().get(btc).drawings).toEqual([line('real')])
    expect(readdirSync(folder).sort()).toEqual(['crypto-BTCUSD.json', 'demo-crypto-BTCUSD.json'])
  })
})
