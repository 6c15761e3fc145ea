import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseTimeEntry } from '../../../../src/renderer/text/time-entry.ts'
import { parseReplayRoute, replayHash } from '../../../../src/renderer/core/window/window-route.ts'

const at = (iso: string) => Date.parse(iso)
const context = {
  zone: 'UTC',
  nowMs: at('2026-11-04T14:03:22.500Z'),
  fromMs: at('2026-11-03T09:00:00Z'),
  toMs: at('2026-11-05T18:00:00Z'),
}
const read = (text: string, more: Partial<typeof context> = {}) => parseTimeEntry(text, { ...context, ...more })

describe('a typed time', () => {
  it.each([
    ['2026-11-04T14:03:22.123Z', '2026-11-04T14:03:22.123Z'],
    ['2026-11-04 14:03', '2026-11-04T14:03:00Z'],
    ['2026-11-04T14:03:22+05:30', '2026-11-04T08:33:22Z'],
    ['2026-11-04T14:03:22 -0500', '2026-11-04T19:03:22Z'],
    ['2026-11-04', '2026-11-04T00:00:00Z'],
    [String(at('2026-11-04T01:02:03.004Z')), '2026-11-04T01:02:03.004Z'],
    ['09:31', '2026-11-04T09:31:00Z'],
    ['9:31:22.5', '2026-11-04T09:31:22.500Z'],
    ['09:31 New York', '2026-11-04T14:31:00Z'],
    ['09:31 ET', '2026-11-04T14:31:00Z'],
    ['09:31 EST', '2026-11-04T14:31:00Z'],
    ['09:31 America/New_York', '2026-11-04T14:31:00Z'],
    ['23:31 JST', '2026-11-04T14:31:00Z'],
    ['4 Nov 09:30', '2026-11-04T09:30:00Z'],
    ['Wed 4 November 2026, 09:30 london', '2026-11-04T09:30:00Z'],
    ['+5m', '2026-11-04T14:08:22.500Z'],
    ['\u2212 1.5 h', '2026-11-04T12:33:22.500Z'],
    ['start', '2026-11-03T09:00:00Z'],
    ['END', '2026-11-05T18:00:00Z'],
  ])('%s', (text, iso) => {
    expect(read(text)).toEqual({ ok: true, ms: at(iso) })
  })
  it('is of the zone that is shown unless it names one', () => {
    expect(read('09:31', { zone: 'Asia/Tokyo' })).toEqual({ ok: true, ms: at('2026-11-05T00:31:00Z') })
    expect(read('09:31 Z', { zone: 'Asia/Tokyo' })).toEqual({ ok: true, ms: at('2026-11-04T09:31:00Z') })
  })
  it('without a date is of the day of the recording that is nearest', () => {
    expect(read('08:00')).toEqual({ ok: true, ms: at('2026-11-04T08:00:00Z') })
    expect(read('20:00', { nowMs: at('2026-11-03T10:00:00Z') })).toEqual({ ok: true, ms: at('2026-11-03T20:00:00Z') })
  })
  it('to the minute means the minute, also where the recording began in it', () => {
    const fromMs = at('2026-11-04T09:31:40Z')
    expect(read('09:31', { fromMs, toMs: fromMs + 60_000 })).toEqual({ ok: true, ms: fromMs })
  })
  it('says how to enter the other of two instants with the same local time', () => {
    const day = { zone: 'Australia/Lord_Howe', fromMs: at('2026-04-04T13:00:00Z'), toMs: at('2026-04-04T17:00:00Z') }
    const second = read('01:45', { ...day, nowMs: day.toMs })
    expect(second).toMatchObject({ ok: true, ms: at('2026-04-04T15:15:00Z') })
    expect(second).toHaveProperty('note', expect.stringMatching(/came twice.*add \+11:00\.$/))
    expect(read('01:45 +11:00', day)).toEqual({ ok: true, ms: at('2026-04-04T14:45:00Z') })
    expect(read('02:45', day)).not.toHaveProperty('note')
    expect(
      read('01:30', {
        ...day,
        zone: 'America/New_York',
        fromMs: at('2026-11-01T04:00:00Z'),
        toMs: at('2026-11-01T08:00:00Z'),
      }),
    ).toHaveProperty('note', expect.stringContaining('-0'))
  })
  it('knows the hour that is there twice, and the one that never was', () => {
    const autumn = { zone: 'America/New_York', fromMs: at('2026-11-01T00:00:00Z'), toMs: at('2026-11-02T00:00:00Z') }
    const nowMs = at('2026-11-01T05:10:00Z')
    expect(read('01:30', { ...autumn, nowMs })).toMatchObject({ ok: true, ms: at('2026-11-01T05:30:00Z') })
    expect(read('01:30 EST', { ...autumn, nowMs })).toEqual({ ok: true, ms: at('2026-11-01T06:30:00Z') })
    const spring = { zone: 'America/New_York', fromMs: at('2026-03-08T00:00:00Z'), toMs: at('2026-03-09T00:00:00Z') }
    expect(read('2026-03-08 02:30', { ...spring, nowMs: spring.fromMs })).toMatchObject({
      ok: false,
      why: expect.stringContaining('forward'),
    })
  })
  it.each([
    ['', 'Enter a time'],
    ['noon', 'isn’t a valid time'],
    ['25:00', 'Hours go up to 23'],
    ['10:61', 'Hours go up to 23'],
    ['31 Feb 10:00', 'no such date'],
    ['09:31 Atlantis', 'Unknown time zone \u201CAtlantis\u201D'],
    ['2026-11-02 10:00', 'before the recorded data starts (03 Nov 2026 09:00:00 UTC)'],
    ['2026-11-07', 'after the recorded data ends'],
  ])('that cannot be meant is explained: %s', (text, why) => {
    expect(read(text)).toMatchObject({ ok: false, why: expect.stringContaining(why) })
  })
  it('is read back from its own ISO text, whatever it is', () => {
    fc.assert(
      fc.property(fc.integer({ min: context.fromMs, max: context.toMs }), (ms) => {
        expect(read(new Date(ms).toISOString(), { zone: 'Asia/Kolkata' })).toEqual({ ok: true, ms })
      }),
    )
  })
  it('never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const entry = read(text)
        expect(entry.ok ? entry.ms >= context.fromMs && entry.ms <= context.toMs : entry.why.length > 0).toBe(true)
      }),
    )
  })
})

describe('the address of a replay', () => {
  it('is read back', () => {
    const route = { sessions: ['01jbq1a2', '01jbq8w4'], atMs: 1_795_240_996_992 }
    expect(parseReplayRoute(replayHash(route))).toEqual(route)
    expect(parseReplayRoute(replayHash({ ...route, atMs: null }))).toEqual({ ...route, atMs: null })
    expect(parseReplayRoute(replayHash({ ...route, alone: true }))).toEqual({ ...route, alone: true })
  })
  it('names nothing that is no session', () => {
    for (const hash of ['', '#', '#token=abc', '#replay=', '#replay=../x', '#replay=a%20b'])
      expect(parseReplayRoute(hash)).toBeUndefined()
    expect(parseReplayRoute('#replay=abc&at=soon')).toEqual({ sessions: ['abc'], atMs: null })
  })
})
