import { describe, expect, it } from 'vitest'
import { findSession } from '../../../../src/main/command-line/sessions.ts'
import { sessionId, unixMs } from '../../../../src/shared/base/units.ts'

const row = (session: string, startedMs: number, binnedMs: number | null = null) => ({
  session: sessionId(session),
  startedMs: unixMs(startedMs),
  binnedMs: binnedMs === null ? null : unixMs(binnedMs),
})
const rows = [row('01kaa1', 5), row('01kaa2', 9), row('01kbb', 7), row('01kbb3', 99, 1), row('latest', 1)]
const named = (text: string): string => findSession(rows, text).session

describe('a session on the command line', () => {
  it.each([
    ['01kaa1', '01kaa1'],
    ['01KAA2', '01kaa2'],
    ['01kb', undefined],
    ['01kbb', '01kbb'], // exact outranks the start of another
    ['01kbb3', '01kbb3'],
    ['latest', '01kaa2'], // not the one in the bin
  ])('%s is %s', (text, expected) => {
    if (expected === undefined) expect(() => named(text)).toThrow('Several sessions start with 01kb: 01kbb, 01kbb3.')
    else expect(named(text)).toBe(expected)
  })

  it.each(['02', '01kaa11', ''])('%j is none', (text) => {
    expect(() => named(text)).toThrow('There is no session')
  })

  it('latest says that nothing is recorded, or all is in the bin', () => {
    expect(() => findSession([row('01kaa1', 1, 2)], 'latest')).toThrow('Every session is in the bin.')
    expect(() => findSession([], 'latest')).toThrow('No sessions recorded yet.')
  })
})
