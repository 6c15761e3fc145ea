import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { applyEdit, drawingsEditSchema, editOf, isNoEdit } from '../../../../../src/shared/features/drawings/edits.ts'
import {
  did,
  NO_HISTORY,
  redo,
  undo,
  type DrawingsHistory,
} from '../../../../../src/shared/features/drawings/history.ts'
import type { Drawing } from '../../../../../src/shared/features/drawings/types.ts'
import { anyDrawing, anyDrawings, at, drawing } from './samples.ts'

const line = (id: string, price = 1) => drawing('horizontal', [at(0, price)], { id })
const ids = (list: readonly Drawing[]) => list.map((one) => one.id).join('')

describe('edits of drawings', () => {
  it('make one list of another, whatever they are', () => {
    fc.assert(
      fc.property(anyDrawings, anyDrawings, (before, after) => {
        const edit = editOf(before, after)
        expect(applyEdit(before, edit)).toEqual(after)
        expect(v.is(drawingsEditSchema, edit)).toBe(true)
        expect(isNoEdit(editOf(after, after))).toBe(true)
      }),
    )
  })
  it('keep what another window drew meanwhile, upon what it lay on', () => {
    const before = [line('a'), line('b'), line('c')]
    const ours = editOf(before, [line('c'), line('a', 2)])
    const theirs = [line('a'), line('b'), line('x'), line('c'), line('y')]
    // `x` lay on `a` once `b` is gone, `y` on `c`.
    expect(ids(applyEdit(theirs, ours))).toBe('cyax')
    expect(applyEdit(theirs, ours).find((one) => one.id === 'a')?.points[0].price).toBe(2)
  })
})

describe('undo of drawings', () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('put' as const), drawing: anyDrawing, merge: fc.boolean() }),
    fc.record({ do: fc.constant('remove' as const), at: fc.nat() }),
    fc.record({ do: fc.constant('raise' as const), at: fc.nat() }),
    fc.record({ do: fc.constant('clear' as const) }),
    fc.record({ do: fc.constant('undo' as const) }),
    fc.record({ do: fc.constant('redo' as const) }),
  )
  const change = (
    list: readonly Drawing[],
    one: { do: string; at?: number; drawing?: Drawing },
  ): readonly Drawing[] => {
    const index = list.length === 0 ? -1 : (one.at ?? 0) % list.length
    switch (one.do) {
      case 'put':
        return one.drawing ? applyEdit(list, { put: [one.drawing], remove: [], order: null }) : list
      case 'remove':
        return list.filter((_, i) => i !== index)
      case 'raise':
        return index < 0 ? list : [...list.slice(0, index), ...list.slice(index + 1), list[index]]
      default:
        return []
    }
  }

  it('gives the exact start after any sequence of edits, and the exact end again', () => {
    fc.assert(
      fc.property(anyDrawings, fc.array(step, { maxLength: 40 }), (start, steps) => {
        let list: readonly Drawing[] = start
        let history: DrawingsHistory = NO_HISTORY
        for (const one of steps) {
          if (one.do === 'undo' || one.do === 'redo') {
            const walked = (one.do === 'undo' ? undo : redo)(history, list)
            if (walked) ({ history, drawings: list } = walked)
            continue
          }
          const next = change(list, one)
          history = did(history, list, next, one.do, one.do === 'put' && one.merge ? 'm' : null)
          list = next
        }
        const ahead = history.future.length
        const ends: (readonly Drawing[])[] = [list]
        for (let walked = undo(history, list); walked; walked = undo(history, list)) {
          ;({ history, drawings: list } = walked)
          ends.push(list)
        }
        expect(list).toEqual(start)
        expect(history.past).toEqual([])
        for (const end of ends.slice(0, -1).reverse()) {
          const walked = redo(history, list)
          if (walked) ({ history, drawings: list } = walked)
          expect(list).toEqual(end)
        }
        expect(history.future).toHaveLength(ahead)
      }),
    )
  })
  it('takes steps in a row of one gesture back at once', () => {
    let history = NO_HISTORY
    const lists = [[line('a', 1)], [line('a', 2)], [line('a', 3)], [line('a', 4)]]
    history = did(history, lists[0], lists[1], 'moved', 'nudge a')
    history = did(history, lists[1], lists[2], 'moved', 'nudge a')
    history = did(history, lists[2], lists[3], 'moved')
    const once = undo(history, lists[3])
    expect(once?.drawings).toEqual(lists[2])
    expect(once && undo(once.history, once.drawings)?.drawings).toEqual(lists[0])
  })
  it('leaves what another window drew', () => {
    const before = [line('a')]
    const history = did(NO_HISTORY, before, [], 'deleted')
    expect(ids(undo(history, [line('x')])?.drawings ?? [])).toBe('xa')
  })
  it('notes nothing where nothing changed', () => {
    expect(did(NO_HISTORY, [line('a')], [line('a')], 'moved')).toBe(NO_HISTORY)
    expect(undo(NO_HISTORY, [])).toBeNull()
    expect(redo(NO_HISTORY, [])).toBeNull()
  })
})
