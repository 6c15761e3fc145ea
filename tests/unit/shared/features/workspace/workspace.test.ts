import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  groupsIn,
  panesIn,
  parseWorkspace,
  READY_NAMES,
  type DockNode,
  type Workspace,
} from '../../../../../src/shared/features/workspace/document.ts'
import {
  addPane,
  boxOfPane,
  closePane,
  dockPane,
  floatPane,
  freshId,
  kindOfIn,
  movePane,
  moveTowards,
  neighbour,
  paneOf,
  popIn,
  popOut,
  resizePane,
  setFront,
  setPaneSettings,
  toggleMaximised,
  type Direction,
} from '../../../../../src/shared/features/workspace/edits.ts'
import { instrumentOf, setInstrument, setLink } from '../../../../../src/shared/features/workspace/links.ts'
import { readWorkspaceFile, workspaceFile } from '../../../../../src/shared/features/workspace/file.ts'
import { boxesOf, fitTo, leastOf } from '../../../../../src/shared/features/workspace/fit.ts'
import { NO_HISTORY, noted, redone, undone } from '../../../../../src/shared/features/workspace/history.ts'
import { LINK_COLOURS, PANE_KINDS } from '../../../../../src/shared/features/workspace/kinds.ts'
import {
  duplicated,
  firstLibrary,
  freeName,
  parseLibrary,
  putWorkspace,
  removeWorkspace,
  resetWorkspace,
  sameLayout,
  withSnapshot,
} from '../../../../../src/shared/features/workspace/library.ts'
import { readyWorkspace } from '../../../../../src/shared/features/workspace/ready.ts'
import type { InstrumentId } from '../../../../../src/shared/base/units.ts'

const DIRECTIONS: readonly Direction[] = ['left', 'right', 'up', 'down']
type Step = (now: Workspace) => Workspace
const pick = (now: Workspace, n: number) => now.panes[n % now.panes.length]?.id ?? ''

/** One thing a person does, with the panes that there are then. */
const step: fc.Arbitrary<Step> = fc.oneof(
  fc
    .tuple(
      fc.nat(),
      fc.constantFrom(...PANE_KINDS),
      fc.constantFrom('within' as const, ...DIRECTIONS),
      fc.option(fc.integer({ min: 1, max: 900 })),
    )
    .map(
      ([n, kind, side, size]): Step =>
        (now) =>
          addPane(
            now,
            { id: freshId(now, kind), kind, link: 'blue', instrument: null, settings: {} },
            { of: pick(now, n), side },
            size,
          ),
    ),
  fc.nat().map(
    (n): Step =>
      (now) =>
        closePane(now, pick(now, n)),
  ),
  fc.tuple(fc.nat(), fc.nat(), fc.constantFrom('within' as const, ...DIRECTIONS)).map(
    ([a, b, side]): Step =>
      (now) =>
        movePane(now, pick(now, a), { of: pick(now, b), side }),
  ),
  fc.tuple(fc.nat(), fc.constantFrom(...DIRECTIONS)).map(
    ([n, to]): Step =>
      (now) =>
        moveTowards(now, pick(now, n), to),
  ),
  fc.tuple(fc.nat(), fc.constantFrom('row' as const, 'column' as const), fc.integer({ min: -400, max: 400 })).map(
    ([n, axis, by]): Step =>
      (now) =>
        resizePane(now, pick(now, n), axis, by),
  ),
  fc.nat().map(
    (n): Step =>
      (now) =>
        floatPane(now, pick(now, n), { x: 10, y: 20, width: 300, height: 200 }),
  ),
  fc.nat().map(
    (n): Step =>
      (now) =>
        dockPane(now, pick(now, n)),
  ),
  fc.nat().map(
    (n): Step =>
      (now) =>
        popOut(now, 'window-1', [pick(now, n)]),
  ),
  fc.constant<Step>((now) => popIn(now, 'window-1')),
  fc.nat().map(
    (n): Step =>
      (now) =>
        setFront(now, pick(now, n)),
  ),
  fc.nat().map(
    (n): Step =>
      (now) =>
        toggleMaximised(now, pick(now, n)),
  ),
  fc.tuple(fc.nat(), fc.option(fc.constantFrom(...LINK_COLOURS))).map(
    ([n, colour]): Step =>
      (now) =>
        setLink(now, pick(now, n), colour),
  ),
  // Settings with a key that reaches into prototypes are refused when they are read: no pane makes them.
  fc
    .tuple(
      fc.nat(),
      fc.jsonValue().filter((value) => !JSON.stringify(value).includes('__proto__')),
    )
    .map(
      ([n, value]): Step =>
        (now) =>
          setPaneSettings(now, pick(now, n), { value: value === null ? 0 : value }),
    ),
)
const steps = fc.array(step, { maxLength: 25 })
const start = fc.constantFrom(...READY_NAMES).map((one) => readyWorkspace(one))
const done = (from: Workspace, all: readonly Step[]) => all.reduce((now, one) => one(now), from)
/** As it comes back from a disk. */
const throughJson = (x: unknown): unknown => JSON.parse(JSON.stringify(x))

/** What must hold of every workspace. */
function expectSound(now: Workspace): void {
  const trees = [now.dock, ...now.floats.map((one) => one.dock), ...now.popouts.map((one) => one.dock)]
  const placed = trees.flatMap(panesIn)
  expect(placed.toSorted()).toEqual(now.panes.map((one) => one.id).toSorted())
  expect(new Set(placed).size).toBe(placed.length)
  expect(panesIn(now.dock).length).toBeGreaterThan(0)
  const check = (tree: DockNode, axis: string | null): void => {
    if (tree.is === 'group') return expect(tree.panes).toContain(tree.front)
    expect(tree.parts.length).toBeGreaterThan(1)
    expect(tree.axis).not.toBe(axis)
    for (const part of tree.parts) check(part, tree.axis)
  }
  for (const tree of trees) check(tree, null)
  if (now.maximised !== null) expect(panesIn(now.dock)).toContain(now.maximised)
}

describe('a workspace', () => {
  it('stays sound whatever is done to it, and comes back from disk as it was', () => {
    fc.assert(
      fc.property(start, steps, (from, all) => {
        const now = done(from, all)
        expectSound(now)
        const back = parseWorkspace(throughJson(now))
        expect(back).toEqual(throughJson(now))
        expect(parseWorkspace(back)).toEqual(back)
      }),
      { numRuns: 300 },
    )
  })

  it('is undone and redone exactly, step by step', () => {
    fc.assert(
      fc.property(start, steps, (from, all) => {
        let history = NO_HISTORY
        let now = from
        const states: Workspace[] = [from]
        for (const one of all) {
          const next = one(now)
          history = noted(history, now, next)
          if (!sameLayout(now, next)) states.push(next)
          now = next
        }
        expect(history.past.length).toBe(states.length - 1)
        for (const state of states.slice(0, -1).toReversed()) {
          const back = undone(history, now)
          expect(back).not.toBeNull()
          if (!back) return
          ;[history, now] = back
          expect(sameLayout(now, state)).toBe(true)
        }
        expect(undone(history, now)).toBeNull()
        for (const state of states.slice(1)) {
          const forth = redone(history, now)
          if (!forth) throw new Error('no step forth')
          ;[history, now] = forth
          expect(sameLayout(now, state)).toBe(true)
        }
        expect(redone(history, now)).toBeNull()
      }),
      { numRuns: 200 },
    )
  })

  it('fits any area exactly, twice the same, and gives each pane its least where there is room', () => {
    fc.assert(
      fc.property(
        start,
        steps,
        fc.integer({ min: 700, max: 4_000 }),
        fc.integer({ min: 400, max: 2_400 }),
        (from, all, width, height) => {
          const now = done(from, all)
          const kindOf = kindOfIn(now)
          const fitted = fitTo(now.dock, { width, height }, kindOf)
          const boxes = boxesOf(fitted, { x: 0, y: 0, width, height })
          expect(boxes.reduce((sum, { box }) => sum + box.width * box.height, 0)).toBe(width * height)
          expect(fitTo(fitted, { width, height }, kindOf)).toEqual(fitted)
          const least = leastOf(now.dock, kindOf)
          if (least.width > width || least.height > height) return
          for (const { group, box } of boxes) {
            const wanted = leastOf(group, kindOf)
            // Rounding to whole pixels may take one.
            expect(box.width).toBeGreaterThanOrEqual(wanted.width - 1)
            expect(box.height).toBeGreaterThanOrEqual(wanted.height - 1)
          }
        },
      ),
      { numRuns: 1_000 },
    )
  })

  it('keeps columns as wide as they were in a larger window, and gives the rest to the chart', () => {
    const now = readyWorkspace('overview')
    const boxes = boxesOf(fitTo(now.dock, { width: 1920, height: 1000 }, kindOfIn(now)), {
      x: 0,
      y: 0,
      width: 1920,
      height: 1000,
    })
    expect(boxes.map(({ group, box }) => [group.front, box.width, box.height])).toEqual([
      ['watchlist-1', 328, 1000],
      ['chart-1', 1340, 1000],
      ['quote-1', 252, 318],
      ['tape-1', 252, 682],
    ])
    expect(fitTo(now.dock, { width: 1024, height: 576 }, kindOfIn(now))).toMatchObject({
      parts: [{ size: 328 }, { size: 444 }, { size: 252, parts: [{ size: 318 }, { size: 258 }] }],
    })
  })

  it('moves, splits and joins by direction as the eye expects', () => {
    const now = readyWorkspace('overview')
    expect(neighbour(now, 'chart-1', 'left')).toBe('watchlist-1')
    expect(neighbour(now, 'chart-1', 'right')).toBe('tape-1')
    expect(neighbour(now, 'tape-1', 'up')).toBe('quote-1')
    expect(neighbour(now, 'watchlist-1', 'left')).toBeNull()
    const joined = moveTowards(now, 'tape-1', 'up')
    expect(groupsIn(joined.dock).map((one) => one.panes)).toEqual([['watchlist-1'], ['chart-1'], ['quote-1', 'tape-1']])
    const split = moveTowards(joined, 'tape-1', 'left')
    expect(groupsIn(split.dock).map((one) => one.panes)).toEqual([
      ['watchlist-1'],
      ['chart-1'],
      ['tape-1'],
      ['quote-1'],
    ])
    expect(boxOfPane(resizePane(now, 'chart-1', 'row', 100), 'chart-1')?.width).toBe(960)
    expect(boxOfPane(resizePane(now, 'quote-1', 'column', 40), 'quote-1')?.height).toBe(358)
    // What lies beside keeps what it needs.
    expect(boxOfPane(resizePane(now, 'chart-1', 'row', 5_000), 'tape-1')?.width).toBe(224)
  })

  it('shows an instrument in every pane of a color, or in the one pane without a color', () => {
    const apple = 'stocks:AAPL' as InstrumentId // a valid one
    const now = setInstrument(readyWorkspace('overview'), 'chart-1', apple)
    for (const pane of now.panes) expect(instrumentOf(now, pane)).toBe(apple)
    const loose = setLink(now, 'tape-1', null)
    const ether = setInstrument(loose, 'tape-1', 'crypto:ETHUSD' as InstrumentId) // a valid one
    const shown = (id: string) => {
      const pane = paneOf(ether, id)
      return pane && instrumentOf(ether, pane)
    }
    expect([shown('tape-1'), shown('quote-1')]).toEqual(['crypto:ETHUSD', 'stocks:AAPL'])
  })

  it('shows a chosen instrument alone in charts of its color, also if it is the one of their ratio', () => {
    const [bitcoin, ether] = ['crypto:BTCUSD' as InstrumentId, 'crypto:ETHUSD' as InstrumentId] // valid ones
    const ratio = setPaneSettings(readyWorkspace('overview'), 'chart-1', {
      interval: '5m',
      spread: { of: bitcoin, with: ether, label: 'ETH-USD', operator: '/' },
    })
    const there = setInstrument(setInstrument(ratio, 'watchlist-1', ether), 'watchlist-1', bitcoin)
    for (const now of [there, setInstrument(ratio, 'chart-1', bitcoin)])
      expect(paneOf(now, 'chart-1')?.settings).toEqual({ ...paneOf(ratio, 'chart-1')?.settings, spread: undefined })
    // A pane of another color changes nothing.
    const apart = setInstrument(setLink(ratio, 'tape-1', null), 'tape-1', ether)
    expect(paneOf(apart, 'chart-1')).toBe(paneOf(ratio, 'chart-1'))
  })

  it('docks a pane again where it was before it floated, unless others have moved since', () => {
    const box = { x: 0, y: 0, width: 400, height: 300 }
    for (const name of READY_NAMES) {
      const now = readyWorkspace(name)
      for (const id of panesIn(now.dock)) {
        const floating = floatPane(now, id, box)
        const floated = { before: now.dock, after: floating.dock }
        const again = dockPane(floating, id, floated)
        const there = setFront(now, id).dock
        expect([again.dock, again.floats, again.front], `${name}, ${id}`).toEqual([there, [], id])
        const [first = '', second = ''] = panesIn(floating.dock)
        const moved = dockPane(movePane(floating, first, { of: second, side: 'within' }), id, floated)
        expect(panesIn(moved.dock).toSorted()).toEqual(panesIn(now.dock).toSorted())
        expect(moved.dock).not.toEqual(now.dock)
      }
    }
  })
  describe('that docks a pane after other groups changed', () => {
    const group = (panes: readonly string[], size: number): DockNode => ({
      is: 'group',
      panes,
      front: panes[0] ?? '',
      size,
    })
    const split = (axis: 'row' | 'column', size: number, parts: readonly DockNode[]): DockNode => ({
      is: 'split',
      axis,
      size,
      parts,
    })
    const withDock = (dock: DockNode): Workspace => ({
      ...readyWorkspace('overview'),
      area: { width: 1_200, height: 800 },
      dock,
      panes: panesIn(dock).map((id) => ({ id, kind: 'chart', link: null, instrument: null, settings: {} })),
    })
    /** Floats a pane, changes the dock with `change`, and docks the pane. */
    const docked = (dock: DockNode, id: string, change: (floating: Workspace) => Workspace): Workspace => {
      const now = withDock(dock)
      const floating = floatPane(now, id, { x: 0, y: 0, width: 400, height: 300 })
      return dockPane(change(floating), id, { before: now.dock, after: floating.dock })
    }
    const wider = (id: string) => (now: Workspace) => resizePane(now, id, 'row', 120)

    it('leaves their tabs in front', () => {
      const tabs = docked(split('row', 0, [group(['a', 'b'], 600), group(['c', 'd'], 600)]), 'b', (now) =>
        setFront(now, 'd'),
      )
      expect(groupsIn(tabs.dock).map(({ front }) => front)).toEqual(['b', 'd'])
    })
    it('leaves dividers where they were moved', () => {
      // With the pane in a group with others.
      const moved = docked(split('row', 0, [group(['a', 'b'], 600), group(['c'], 600)]), 'b', wider('a'))
      expect(groupsIn(moved.dock).map(({ size }) => size)).toEqual([720, 480])
      // With the pane alone between others: it gets its width, and its neighbors keep their proportion.
      const row = split('row', 0, [group(['a'], 400), group(['b'], 400), group(['c'], 400)])
      expect(groupsIn(docked(row, 'b', wider('a')).dock).map(({ size }) => size)).toEqual([480, 400, 320])
      // With a single neighbor, whose column closes without it.
      const column = split('column', 600, [group(['b'], 300), group(['c'], 500)])
      const again = docked(split('row', 0, [group(['a'], 600), column]), 'b', wider('a'))
      expect(again.dock).toEqual(split('row', 0, [group(['a'], 720), { ...column, size: 480 }]))
      // With a single neighbor whose parts are merged into the row without it.
      const inner = (sizes: readonly [number, number]) =>
        split('column', 0, [group(['b'], 300), split('row', 500, [group(['c'], sizes[0]), group(['d'], sizes[1])])])
      const merged = docked(split('row', 0, [group(['a'], 600), { ...inner([300, 300]), size: 600 }]), 'b', wider('d'))
      expect(merged.dock).toMatchObject({
        parts: [{ size: 540 }, { size: 660, parts: [{ size: 300 }, { size: 500 }] }],
      })
      expect(groupsIn(merged.dock).map(({ size }) => size)).toEqual([540, 300, 240, 420])
    })
  })
  it('shows a pane that it docks, also if another tab was in front when it floated', () => {
    const now = addPane(
      readyWorkspace('overview'),
      { id: 'log-1', kind: 'log', link: null, instrument: null, settings: {} },
      { of: 'tape-1', side: 'within' },
    )
    const before = setFront(now, 'tape-1')
    const floating = floatPane(before, 'log-1', { x: 0, y: 0, width: 400, height: 300 })
    const again = dockPane(floating, 'log-1', { before: before.dock, after: floating.dock })
    expect(again.front).toBe('log-1')
    expect(groupsIn(again.dock).find(({ panes }) => panes.includes('log-1'))?.front).toBe('log-1')
  })
  it('keeps its last pane, and its windows come back into the dock', () => {
    let now = readyWorkspace('overview')
    for (const { id } of now.panes) now = closePane(now, id)
    expect(now.panes.length).toBe(1)
    const out = popOut(readyWorkspace('overview'), 'window-1', ['tape-1', 'quote-1'])
    expect(panesIn(out.dock)).toEqual(['watchlist-1', 'chart-1'])
    expect(panesIn(popIn(out, 'window-1').dock).toSorted()).toEqual(['chart-1', 'quote-1', 'tape-1', 'watchlist-1'])
  })
})

describe('what is read from a disk or a file', () => {
  it('never empties a workspace: garbage gives none, and leaves the library with all it had', () => {
    fc.assert(
      fc.property(fc.anything({ maxDepth: 6 }), (junk) => {
        const read = parseWorkspace(junk)
        if (read) expectSound(read)
        const library = parseLibrary({ workspaces: [junk, readyWorkspace('review')], snapshots: junk, latest: junk })
        expect(library.workspaces.some((one) => one.id === 'review')).toBe(true)
        expect(parseLibrary(junk).workspaces.length).toBeGreaterThan(0)
      }),
      { numRuns: 500 },
    )
  })

  it('is sound also where one value anywhere was replaced by another', () => {
    const spots = (x: unknown, path: readonly string[] = []): readonly (readonly string[])[] =>
      typeof x === 'object' && x !== null
        ? Object.entries(x).flatMap(([key, value]) => [[...path, key], ...spots(value, [...path, key])])
        : []
    fc.assert(
      fc.property(start, fc.nat(), fc.anything({ maxDepth: 3 }), (from, n, junk) => {
        const all = spots(from)
        const path = all[n % all.length] ?? []
        const broken = throughJson(from) as Record<string, unknown> // an object, as every workspace
        let at: Record<string, unknown> = broken
        for (const key of path.slice(0, -1)) at = at[key] as Record<string, unknown> // `spots` went this way
        at[path.at(-1) ?? ''] = junk
        const read = parseWorkspace(broken)
        if (read) expectSound(read)
        const library = parseLibrary({ workspaces: [broken], snapshots: { [from.id]: [{ atMs: 1, workspace: from }] } })
        expect(library.workspaces.length).toBeGreaterThan(0)
        for (const one of library.workspaces) expectSound(one)
      }),
      { numRuns: 500 },
    )
  })

  it('takes a snapshot where a workspace cannot be read', () => {
    const from = readyWorkspace('review')
    const library = parseLibrary({
      workspaces: [{ ...from, dock: 'gone' }],
      snapshots: { review: [{ atMs: 5, workspace: from }] },
    })
    expect(library.workspaces).toEqual([from])
  })

  it('is refused with a sentence where a file is hostile', () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
    const wide = JSON.stringify({ kind: 'tapedeck workspace', workspace: 1 })
    for (const text of [
      '',
      '{',
      'null',
      '[]',
      '{"kind":"other"}',
      wide,
      deep,
      'x'.repeat(2_000_000),
      `{"kind":"tapedeck workspace","workspace":${deep}}`,
    ]) {
      const read = readWorkspaceFile(text)
      expect(read.ok).toBe(false)
      if (!read.ok) expect(read.why).toMatch(/^This .+\.$/)
    }
    const newer = readWorkspaceFile(JSON.stringify({ kind: 'tapedeck workspace', workspace: { version: 99 } }))
    expect(newer).toMatchObject({ ok: false, why: expect.stringContaining('newer') as unknown })
    const proto = `{"kind":"tapedeck workspace","workspace":${JSON.stringify(readyWorkspace('overview')).replace('"settings":{}', '"settings":{"__proto__":{"polluted":1}}')}}`
    const read = readWorkspaceFile(proto)
    expect(read.ok && read.workspace.panes.every((one) => !('polluted' in one.settings))).toBe(true)
    expect('polluted' in {}).toBe(false)
  })

  it('comes back from its own file as it was', () => {
    fc.assert(
      fc.property(start, steps, (from, all) => {
        const now = done(from, all)
        const read = readWorkspaceFile(workspaceFile(now))
        if (!read.ok) throw new Error(read.why)
        expect(sameLayout(read.workspace, popoutsLeft(now))).toBe(true)
      }),
      { numRuns: 100 },
    )
  })
  const popoutsLeft = (now: Workspace): Workspace => {
    const out = new Set(now.popouts.flatMap((one) => panesIn(one.dock)))
    return JSON.parse(
      JSON.stringify({ ...now, popouts: [], panes: now.panes.filter((one) => !out.has(one.id)) }),
    ) as Workspace // what was written is one
  }
})

describe('the library', () => {
  it('begins with the ready-made ones, each sound and whole', () => {
    for (const one of firstLibrary().workspaces) {
      expectSound(one)
      expect(parseWorkspace(throughJson(one))).toEqual(one)
    }
    expect(parseLibrary(throughJson(firstLibrary()))).toEqual(firstLibrary())
  })

  it('keeps five snapshots, two minutes apart, and nothing twice', () => {
    let library = firstLibrary()
    let now = readyWorkspace('overview')
    for (let i = 0; i < 20; i++) {
      library = withSnapshot(library, now, i * 60_000)
      now = resizePane(now, 'chart-1', 'row', -10)
    }
    expect(library.snapshots['overview']?.map((one) => one.atMs)).toEqual([18, 16, 14, 12, 10].map((n) => n * 60_000))
    const [newest] = library.snapshots['overview'] ?? []
    expect(newest && withSnapshot(library, newest.workspace, 9e9)).toBe(library)
  })

  it('copies under a name of its own, resets to what was ready-made, and keeps the last one', () => {
    const library = firstLibrary()
    const overview = readyWorkspace('overview')
    const copy = duplicated(library, overview)
    expect([copy.name, copy.id]).toEqual(['Overview 2', 'workspace-1'])
    const both = putWorkspace(library, copy)
    expect(duplicated(both, copy).name).toBe('Overview 3')
    expect(freeName(both, '  ')).toBe('Workspace')
    expect(sameLayout(resetWorkspace(closePane(overview, 'tape-1')), overview)).toBe(true)
    let left = both
    for (const one of both.workspaces) left = removeWorkspace(left, one.id)
    expect(left.workspaces.length).toBe(1)
    expect(left.latest).toBe(left.workspaces[0]?.id)
  })
})
