import { describe, expect, it } from 'vitest'
import { inTurn, overlapSentence, playedAsOne } from '../../../../../src/shared/features/sessions/overlaps.ts'
import { sessionId, unixMs } from '../../../../../src/shared/base/units.ts'
import { UNLABELED } from '../../../../kit/market.ts'
import type { SessionRow } from '../../../../../src/shared/core/recording/session.ts'

const here = (name: string, startedMs: number, endedMs: number | null) => ({
  name,
  source: 'demo',
  startedMs,
  endedMs,
  imported: false,
})
const brought = (name: string, startedMs: number, endedMs: number | null) => ({
  ...here(name, startedMs, endedMs),
  imported: true,
})
const read = (...all: ReturnType<typeof here>[]) =>
  inTurn(all).map(({ of, behind, notBeforeMs }) => (behind === null ? of.name : `${of.name}>${notBeforeMs}`))

describe('sessions in turn', () => {
  it('made here are never behind each other, whatever the clock said', () => {
    expect(read(here('a', 100, 200), here('b', 50, 150), here('c', 120, null))).toEqual(['a', 'b', 'c'])
  })
  it('imported ones are behind whatever started earlier and lasts, and hide what starts later', () => {
    expect(read(here('a', 100, 200), brought('x', 150, 300), here('b', 250, 400))).toEqual(['a', 'x>200', 'b>300'])
    expect(read(brought('y', 150, 300), brought('x', 100, 200))).toEqual(['x', 'y>200'])
    expect(read(here('a', 100, null), brought('x', 150, 160))).toEqual(['a', 'x>Infinity'])
    expect(read(here('a', 100, 200), brought('x', 200, 300), here('b', 300, 400))).toEqual(['a', 'x', 'b'])
  })
  it('one that lasts long hides also behind a short one', () => {
    expect(read(brought('x', 0, 1_000), brought('y', 10, 20), here('a', 500, 1_500))).toEqual(['x', 'y>1000', 'a>1000'])
  })
})

it('says overlaps in a sentence', () => {
  const one = { source: 'demo', earlier: sessionId('a'), later: sessionId('b'), fromMs: 1, toMs: 2 }
  expect(overlapSentence([])).toBe('')
  expect(overlapSentence([one])).toBe('Sessions a and b of demo overlap: there, the earlier one is read.')
  expect(overlapSentence([one, one])).toContain('and 1 more like it')
})

it('plays sessions of a team with all others of it at that time, but not with those of the next day', () => {
  const row = (name: string, source: string, from: number, to: number | null): SessionRow => ({
    ...UNLABELED,
    session: sessionId(name),
    source,
    startedMs: unixMs(from * 1_000),
    endedMs: to === null ? null : unixMs(to * 1_000),
    clean: true,
    isCorrupt: false,
    live: to === null,
    feeds: [],
    symbols: 1,
    messages: 1,
    bytes: 1,
    gaps: [],
    gapCount: 0,
    edges: 0,
    imported: false,
  })
  const all = [
    row('a', 'team:1@eu', 0, 100),
    row('b', 'team:2@eu', 10, 60),
    row('c', 'team:2@eu', 50, 100.3),
    row('next', 'team:2@eu', 99.9, null),
    row('us', 'team:1@us', 0, 100),
    { ...row('bin', 'team:3@eu', 0, 100), binnedMs: unixMs(1) },
    row('demo', 'demo', 0, 100),
  ]
  const played = (...names: string[]) =>
    playedAsOne(all, all.filter(({ session }) => names.includes(session))).map(({ session }) => session) // oxfmt-ignore
  expect(played('a')).toEqual(['a', 'b', 'c'])
  expect(played('b')).toEqual(['a', 'b', 'c'])
  expect(played('next')).toEqual(['next'])
  expect(played('demo')).toEqual(['demo'])
  expect(played('a', 'us')).toEqual(['a', 'us'])
})
