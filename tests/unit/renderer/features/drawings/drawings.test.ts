import { beforeEach, describe, expect, it, vi } from 'vitest'
import { DrawingsBook, InstrumentDrawings } from '../../../../../src/renderer/features/drawings/drawings.svelte.ts'
import { applyEdit, type DrawingsEdit } from '../../../../../src/shared/features/drawings/edits.ts'
import type { Drawing, DrawingsState } from '../../../../../src/shared/features/drawings/types.ts'
import { CodedError, type Failure } from '../../../../../src/shared/base/errors.ts'
import { instrumentId } from '../../../../../src/shared/base/units.ts'
import { TestTransport } from '../../../../kit/transport.ts'
import { at, drawing } from '../../../shared/features/drawings/samples.ts'

const btc = instrumentId('crypto', 'BTC-USD')
const line = (id: string, price = 1) => drawing('horizontal', [at(0, price)], { id })
const ids = (list: readonly Drawing[]) => list.map((one) => one.id).join('')

/** A terminal that answers an edit only when the test says so. */
function terminal() {
  let state: DrawingsState = { instrument: btc, revision: 0, drawings: [] }
  const waiting: (() => void)[] = []
  let failure: CodedError | null = null
  const apply = (edit: DrawingsEdit) => {
    state = { ...state, revision: state.revision + 1, drawings: applyEdit(state.drawings, edit) }
  }
  // As over a wire: nothing is the same object.
  const sent = () => structuredClone(state)
  const transport = new TestTransport().serve('drawings', sent).answer(
    'drawings.edit',
    ({ edit }) =>
      new Promise((resolve, reject) => {
        waiting.push(() => {
          if (failure) return reject(failure)
          apply(edit)
          resolve(sent())
        })
      }),
  )
  return {
    transport,
    edits: () => transport.callsOf('drawings.edit').map(({ edit }) => edit),
    refuse: (why: CodedError) => (failure = why),
    async answer() {
      waiting.shift()?.()
      await vi.waitFor(() => undefined)
      await Promise.resolve()
    },
    /** Another window draws. */
    other(edit: DrawingsEdit) {
      apply(edit)
      transport.send('drawings', sent())
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
  it('are sent without waiting for an answer if the page may close, also what was taken back meanwhile', async () => {
    here.change([line('a'), line('b')], 'drawn')
    here.change([line('b'), line('c')], 'moved', 'move')
    here.flush(true)
    here.flush(true)
    expect(there.edits()).toHaveLength(2)
    here.undo()
    here.close()
    for (let i = 0; i < 3; i++) await there.answer()
    expect(ids(there.drawings)).toBe('ab')
  })
  it('send what came meanwhile in one further edit, and keep what another window drew', async () => {
    here.change([line('a')], 'drawn')
    here.change([line('a'), line('b')], 'drawn')
    here.change([line('a', 5), line('b')], 'moved')
    there.other({ put: [line('x')], remove: [], order: null })
    expect(ids(here.list)).toBe('xab')
    await there.answer()
    await there.answer()
    expect(there.edits()).toHaveLength(2)
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
    there.refuse(new CodedError('disk-error', 'Couldn’t save the drawings.'))
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
      expect(there.edits()).toHaveLength(0)
      vi.advanceTimersByTime(200)
      expect(there.edits()).toHaveLength(1)
      expect(there.edits()[0].put[0].points[0].price).toBe(20)
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
  const saved: DrawingsState = { instrument: btc, revision: 1, drawings: [line('a')] }
  const transport = new TestTransport().answer('drawings.edit', () => saved)
  const book = new DrawingsBook(transport, {} as never) // nothing of the window is asked here

  it('are two sets, each read and changed by its market, with its own undo', async () => {
    const demo = book.take('demo', btc)
    const real = book.take('service', btc)
    expect(demo).not.toBe(real)
    demo.change([line('a')], 'drawn')
    await Promise.resolve()
    expect(ids(demo.list)).toBe('a')
    expect(real.list).toEqual([])
    expect(transport.argsOf('drawings').map(({ market }) => market)).toEqual(['demo', 'service'])
    expect(transport.callsOf('drawings.edit').map(({ market }) => market)).toEqual(['demo'])
    book.release('demo', btc)
    book.release('service', btc)
    expect(transport.argsOf('drawings')).toEqual([])
    expect(book.take('service', btc).undo()).toBeNull()
    expect(book.take('demo', btc).undo()).toBe('drawn')
    book.release('service', btc)
    book.release('demo', btc)
  })
})

it('a window says once that drawings couldn’t be read, however often a chart shows them', () => {
  const problem = 'One drawing of crypto:BTCUSD couldn’t be read; the file was saved as crypto-BTCUSD.json.bad.'
  const state: DrawingsState = { instrument: btc, revision: 0, drawings: [line('b')], problem }
  const problems: string[] = []
  const book = new DrawingsBook(
    new TestTransport().serve('drawings', () => state),
    {
      settings: () => expect.unreachable(),
      set: () => undefined,
      tell: () => undefined,
      symbolOf: () => 'BTC-USD',
      problem: (failure) => problems.push(failure.message),
    },
  )
  for (let i = 0; i < 2; i++) {
    expect(ids(book.take('service', btc).list)).toBe('b')
    book.release('service', btc)
  }
  expect(problems).toEqual([problem.replace('crypto:BTCUSD', 'BTC-USD')])
})
