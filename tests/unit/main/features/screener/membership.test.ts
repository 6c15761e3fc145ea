import { describe, expect, it } from 'vitest'
import { Membership } from '../../../../../src/main/features/screener/membership.ts'
import { changeText } from '../../../../../src/shared/features/screener/change-text.ts'
import { NEW_SCREEN, type SavedScreen } from '../../../../../src/shared/features/screener/screen.ts'
import { instrumentId, unixMs } from '../../../../../src/shared/base/units.ts'

const saved: SavedScreen = { id: 'a', name: 'Movers', screen: NEW_SCREEN, alerts: true }
const members = (...symbols: string[]) =>
  symbols.map((symbol) => ({ instrument: instrumentId('crypto', symbol), symbol }))
const at = (ms: number) => unixMs(ms)

describe('the members of a saved screen', () => {
  it('are recorded at first, and changes are reported from then on', () => {
    const membership = new Membership()
    expect(membership.look(saved, members('BTC-USD', 'ETH-USD'), at(1))).toBeNull()
    expect(membership.look(saved, members('ETH-USD', 'BTC-USD'), at(2))).toBeNull()
    const change = membership.look(saved, members('ETH-USD', 'SOL-USD'), at(3))
    expect(change).toMatchObject({ id: 3, atMs: 3, screen: 'a', name: 'Movers' })
    expect(changeText(change ?? { entered: [], left: [] })).toBe('Entered: SOL-USD. Left: BTC-USD.')
    expect(membership.changes).toEqual([change])
    expect(membership.look(saved, members('ETH-USD'), at(4))).toMatchObject({ id: 4, entered: [] })
  })
  it('are recorded again after the screen was edited, another source began, or its alerts were off', () => {
    const membership = new Membership()
    membership.look(saved, members('BTC-USD'), at(1))
    const edited = { ...saved, screen: { ...NEW_SCREEN, span: '1h' as const } }
    expect(membership.look(edited, members(), at(2))).toBeNull()
    expect(membership.look(edited, members('BTC-USD'), at(3))).not.toBeNull()
    membership.forget()
    expect(membership.look(edited, members(), at(4))).toBeNull()
    membership.keep(new Set())
    expect(membership.look(edited, members('BTC-USD'), at(5))).toBeNull()
  })
  it('stay the same when only columns, sorting or the name change', () => {
    const membership = new Membership()
    membership.look(saved, members('BTC-USD'), at(1))
    const looks = {
      ...saved,
      name: 'Else',
      screen: { ...NEW_SCREEN, columns: [], sort: { metric: null, descending: false } },
    }
    expect(membership.look(looks, members(), at(2))).toMatchObject({ name: 'Else' })
  })
  it('change under ids that no earlier start of the terminal used, one for each change', () => {
    const change = (membership: Membership, symbol: string, ms: number) =>
      membership.look(saved, members(symbol), at(ms))?.id ?? 0
    const [before, after] = [new Membership(), new Membership()]
    const ids = ['A', 'B', 'C', 'D'].map((symbol) => change(before, symbol, 1_000))
    expect(ids).toEqual([0, 1_000, 1_001, 1_002])
    change(after, 'A', 5_000)
    expect(change(after, 'B', 5_001)).toBe(5_001)
  })
  it('stay what they were while a current figure isn’t known: no quote since the start is no change', () => {
    const membership = new Membership()
    const [btc, eth] = members('BTC-USD', 'ETH-USD')
    const look = (rows: (typeof btc)[], undecided: (typeof btc)[], ms: number) =>
      membership.look(saved, rows, at(ms), new Set(undecided.map(({ instrument }) => instrument)))
    expect(look([], [btc, eth], 1)).toBeNull()
    expect(look([btc], [eth], 2), 'the first quote').toBeNull()
    expect(look([eth], [btc], 3), 'a quote that went away').toBeNull()
    expect(look([eth], [], 4)).toMatchObject({ entered: [], left: [btc] })
    expect(look([btc, eth], [], 5)).toMatchObject({ entered: [btc], left: [] })
  })
  it('are named up to five, and the others counted', () => {
    const membership = new Membership()
    membership.look(saved, [], at(1))
    const change = membership.look(saved, members('A', 'B', 'C', 'D', 'E', 'F', 'G'), at(2))
    expect(changeText(change ?? { entered: [], left: [] })).toBe('Entered: A, B, C, D, E, 2 more.')
  })
})
