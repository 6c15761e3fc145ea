import { describe, expect, it } from 'vitest'
import {
  decodeReport,
  encodeReport,
  keepReporting,
  readReports,
  type MemberReport,
} from '../../../../../../src/main/features/team/reports/report.ts'
import { sessionId } from '../../../../../../src/shared/base/units.ts'
import { CodedError } from '../../../../../../src/shared/base/errors.ts'
import { manualClock } from '../../../../../kit/clock.ts'

const recorder: MemberReport = {
  role: 'recorder',
  name: 'r1',
  shard: 2,
  epoch: 7,
  spoolBytes: 100,
  spoolLimitBytes: null,
  unpublished: 3,
  trouble: null,
  sessions: [sessionId('01kccccccc0000000000000001')],
}
const archiver: MemberReport = { role: 'archiver', name: 'db-1', shards: [{ shard: 1, missing: 2, trouble: 'It waits.' }] }

describe('what a member of a team says about itself', () => {
  it.each([recorder, archiver, { ...recorder, shard: null }])('survives its encoding: %o', (report) => {
    expect(decodeReport(encodeReport(report))).toEqual(report)
  })

  it.each([
    ['another version', encodeReport(recorder).replace('"version":1', '"version":2')],
    ['another role', encodeReport(recorder).replace('recorder', 'spy')],
    ['a shard that can’t be', encodeReport({ ...recorder, shard: 1_000 })],
    ['a negative size', encodeReport({ ...recorder, spoolBytes: -1 })],
    ['a text without end', encodeReport({ ...recorder, trouble: 'x'.repeat(1_001) })],
    ['an ID that can’t be', encodeReport(recorder).replace('01kcc', '../..')],
    ['no JSON', 'recorder'],
  ])('ignores %s', async (_, text) => {
    expect(decodeReport(text)).toBeNull()
    const entries = [
      { key: 'recorder.a', value: text, revision: 1 },
      { key: 'recorder.b', value: null, revision: 2 },
      { key: 'recorder.c', value: encodeReport(recorder), revision: 3 },
    ]
    expect(await readReports({ entries: () => Promise.resolve(entries) })).toEqual([recorder])
  })

  it('may come from a version that doesn’t name its sessions', () => {
    const { sessions: _, ...earlier } = JSON.parse(encodeReport(recorder)) as Record<string, unknown> // as encoded
    expect(decodeReport(JSON.stringify(earlier))).toEqual({ ...recorder, sessions: [] })
  })

  it('is renewed every five seconds, at once after servers that were away, and taken back at the end', async () => {
    const clock = manualClock(0)
    const ended = new AbortController()
    const written: string[] = []
    let isAway = false
    const note = (text: string) =>
      isAway ? Promise.reject(new CodedError('offline', 'away')) : Promise.resolve(written.push(text))
    const bucket = { put: (key: string, value: string) => note(`${key} ${value}`), delete: async (key: string) => void (await note(`-${key}`)) } // oxfmt-ignore
    const reporting = keepReporting(() => bucket, 'me', () => recorder, clock, ended.signal) // oxfmt-ignore
    await new Promise(setImmediate)
    await clock.pass(5_000)
    expect(written).toHaveLength(2)
    isAway = true
    await clock.pass(20_000)
    isAway = false
    await clock.pass(500)
    expect(written).toHaveLength(3)
    await clock.pass(4_500)
    ended.abort()
    await reporting
    const line = `recorder.me ${encodeReport(recorder)}`
    expect(written).toEqual([line, line, line, '-recorder.me'])
  })

  it('is renewed at once when it has changed, also while the last one is under way', async () => {
    const clock = manualClock(0)
    const ended = new AbortController()
    let reports = 0
    let reportNow = (): void => undefined
    const bucket = { put: () => Promise.resolve(++reports), delete: () => Promise.resolve() }
    const onChange = (report: () => void) => void (reportNow = report)
    const reporting = keepReporting(() => bucket, 'me', () => recorder, clock, ended.signal, onChange) // oxfmt-ignore
    reportNow()
    await new Promise(setImmediate)
    expect(reports).toBe(2)
    await clock.pass(1_000)
    reportNow()
    await new Promise(setImmediate)
    expect(reports).toBe(3)
    ended.abort()
    await reporting
  })
})
