import { beforeEach, describe, expect, it, vi } from 'vitest'
import { DrawingsBook, InstrumentDrawings } from '../../../../../src/renderer/features/drawings/drawings.svelte.ts'
import { applyEdit, type DrawingsEdit } from '../../../../../src/shared/features/drawings/edits.ts'
import type { Drawing, DrawingsState } from '../../../../../src/shared/features/drawings/types.ts'
import type { Failure } from '../../../../../src/shared/base/errors.ts'
import type { Transport } from '../../../../../src/shared/rpc/transport.ts'
import { instrumentId } from '../../../../../src/shared/base/units.ts'
import { at, drawing } from '../../../shared/features/drawings/samples.ts'

const btc = instrumentId('crypto', 'BTC-USD')
const line = (id: string, price = 1) => drawing('horizontal', [at(0, price)], { id })
const ids = (list: readonly Drawing[]) => list.map((one) => one.id).join('')

/** A terminal that answers edits only when it is told to. */
function terminal() {
  let state: DrawingsState = { instrument: btc, revision: 0, drawings: [] }
  let tell: (value: DrawingsState) => void = () => undefined
  const waiting: (() => void)[] = []
  const edits: DrawingsEdit[] = []
  let failure: Failure | null = null
  const apply = (edit: DrawingsEdit) => {
    state = { ...state, revision: state.revision + 1, drawings: applyEdit(state.drawings, edit) }
  }
  const transport = {
    invoke: (_name: string, args: { edit: DrawingsEdit }) => {
      edits.push(args.edit)
      return new Promise((resolve) => {
        waiting.push(() => {
          if (failure) return resolve({ ok: false, error: failure })
          apply(args.edit)
          // As over a wire: nothing is the same object.
          resolve({ ok: true, value: structuredClone(state) })
        })
      })
    },
    subscribe: (_name: string, _args: unknown, onValue: (value: DrawingsState) => void) => {
      tell = onValue
      onValue(structuredClone(state))
      return () => undefined
    },
    onLink: () => () => undefined,
  }
  return {
    transport: transport as unknown as Transport, // the three methods that are used
    edits,
    refuse: (why: Failure) => (failure = why),
    async answer() {
      waiting.shift()?.()
      await vi.waitFor(() => undefined)
      await Promise.resolve()
    },
    /** Another window draws. */
    other(edit: DrawingsEdit) {
      apply(edit)
      tell(structuredClone(state))
    },
    get drawings() {
      return state.drawings
    },
  }
}

describe('the drawings of a window', () => {
  let there: ReturnType<typeof terminal>
  let problems: Failure[]
  let here: InstrumentDrawings
  beforeEach(() => {
    there = terminal()
    problems = []
    here = new InstrumentDrawings(there.transport, 'service', btc, (failure) => problems.push(failure))
  })

  it('are shown at once and saved by the terminal', async () => {
    here.change([line('a')], 'drawn')
    expect(ids(here.list)).toBe('a')
    const shown = here.list[0]
    await there.answer()
    expect(ids(there.drawings)).toBe('a')
    // What says the same stays the same object.
    expect(here.list[0]).toBe(shown)
  })
  it('send what came meanwhile in one further edit, and keep what another window drew', async () => {
    here.change([line('a')], 'drawn')
    here.change([line('a'), line('b')], 'drawn')
    here.change([line('a', 5), line('b')], 'moved')
    there.other({ put: [line('x')], remove: [], order: null })
    expect(ids(here.list)).toBe('xab')
    await there.answer()
    await there.answer()
    expect(there.edits).toHaveLength(2)
    expect(ids(here.list)).toBe('xab')
    expect(there.drawings).toEqual(here.list)
    expect(here.list[1].points[0].price).toBe(5)
  })
  it('undo and redo here, and leave the other window’s alone', async () => {
    here.change([line('a')], 'A drawn')
    await there.answer()
    there.other({ put: [line('x')], remove: [], order: null })
    expect(here.undo()).toBe('A drawn')
    expect(ids(here.list)).toBe('x')
    expect(here.redo()).toBe('A drawn')
    expect(ids(here.list)).toBe('xa')
    expect(here.redo()).toBeNull()
  })
  it('show what is saved if the terminal refuses, and say why', async () => {
    there.other({ put: [line('x')], remove: [], order: null })
    there.refuse({ code: 'disk-error', message: 'Couldn’t save the drawings.' })
    here.change([...here.list, line('a')], 'drawn')
    await there.answer()
    expect(ids(here.list)).toBe('x')
    expect(problems).toHaveLength(1)
    expect(here.undo()).toBeNull()
  })
  it('send a key that is held down together', () => {
    vi.useFakeTimers()
    try {
      for (let price = 1; price <= 20; price++) here.change([line('a', price)], 'moved', 'nudge a')
      expect(there.edits).toHaveLength(0)
      vi.advanceTimersByTime(200)
      expect(there.edits).toHaveLength(1)
      expect(there.edits[0].put[0].points[0].price).toBe(20)
    } finally {
      vi.useRealTimers()
    }
  })
  it('are not more than can be saved', () => {
    const many = Array.from({ length: 501 }, (_, i) => line(`n${i}`))
    expect(here.change(many, 'drawn')).toBe(false)
    expect(here.list).toEqual([])
    expect(problems[0].code).toBe('too-large')
  })
})

describe('the drawings of a demo market and of a service', () => {
  const sent: [string, unknown][] = []
  const transport = {
    invoke: (name: string, args: unknown) => {
      sent.push([name, args])
      return Promise.resolve({ ok: true, value: { instrument: btc, revision: 1, drawings: [line('a')] } })
    },
    subscribe: (name: string, args: unknown) => {
      sent.push([name, args])
      return () => sent.push(['closed', args])
    },
    onLink: () => () => undefined,
  } as unknown as Transport // the three methods that are used
  const book = new DrawingsBook(transport, {} as never) // nothing of the window is asked here
  beforeEach(() => (sent.length = 0))

  it('are two, each asked and changed by its market, with an undo of its own', async () => {
    const demo = book.take('demo', btc)
    const real = book.take('service', btc)
    expect(demo).not.toBe(real)
    demo.change([line('a')], 'drawn')
    await Promise.resolve()
    expect(ids(demo.list)).toBe('a')
    expect(real.list).toEqual([])
    expect(sent.map(([name, args]) => [name, (args as { market: string }).market])).toEqual([
      ['drawings', 'demo'],
      ['drawings', 'service'],
      ['drawings.edit', 'demo'],
    ])
    book.release('demo', btc)
    book.release('service', btc)
    expect(sent.slice(3)).toEqual([
      ['closed', { market: 'demo', instrument: btc }],
      ['closed', { market: 'service', instrument: btc }],
    ])
    expect(book.take('service', btc).undo()).toBeNull()
    expect(book.take('demo', btc).undo()).toBe('drawn')
    book.release('service', btc)
    book.release('demo', btc)
  })
})
