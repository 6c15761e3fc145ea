import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Zone } from '../../../../../src/renderer/text/zone.ts'
import { WindowTerminal } from '../../../../kit/window-terminal.ts'
import { TestTransport } from '../../../../kit/transport.ts'
import {
  followSpan,
  MIN_SPAN_MS,
  lengthOf,
  msAt,
  panSpan,
  rulerLabels,
  wholeSpan,
  xOf,
  zoomSpan,
} from '../../../../../src/renderer/features/replay/timeline-scale.ts'
import { Timeline } from '../../../../../src/renderer/features/replay/timeline.svelte.ts'

const start = Date.UTC(2026, 9, 5)
const MONTH = 31 * 86_400_000
const whole = wholeSpan(start, start + MONTH)

describe('the span of a timeline', () => {
  it('goes from a month to a second and back, around the place of the pointer', () => {
    const aim = start + MONTH / 3
    let span = whole
    for (let i = 0; i < 200; i++) span = zoomSpan(span, 1.3, aim, whole)
    expect(lengthOf(span)).toBeCloseTo(MIN_SPAN_MS)
    expect(span.fromMs <= aim && aim <= span.toMs).toBe(true)
    for (let i = 0; i < 200; i++) span = zoomSpan(span, 1 / 1.3, aim, whole)
    expect(span).toEqual(whole)
  })
  it('keeps the instant under the pointer where it is', () => {
    const span = zoomSpan(whole, 50, start + MONTH / 2, whole)
    const aim = msAt(200, span, 800)
    expect(xOf(aim, zoomSpan(span, 2, aim, whole), 800)).toBeCloseTo(200, 3)
  })
  it('never leaves the whole, whatever is done to it', () => {
    const move = fc.record({
      factor: fc.double({ min: 0.01, max: 100, noNaN: true }),
      by: fc.integer(),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    fc.assert(
      fc.property(fc.array(move), (moves) => {
        let span = whole
        for (const { factor, by, at } of moves) {
          span = zoomSpan(span, factor, span.fromMs + at * lengthOf(span), whole)
          span = followSpan(panSpan(span, by, whole), start + at * MONTH, whole)
          expect(span.fromMs).toBeGreaterThanOrEqual(whole.fromMs - 1e-3)
          expect(span.toMs).toBeLessThanOrEqual(whole.toMs + 1e-3)
          expect(lengthOf(span)).toBeGreaterThan(MIN_SPAN_MS * 0.999)
        }
      }),
    )
  })
})

describe('the ruler', () => {
  it.each([1_000, 60_000, 3_600_000, 86_400_000, MONTH, 12 * MONTH])('has room for its labels over %d ms', (length) => {
    const span = { fromMs: start + 1_234, toMs: start + 1_234 + length }
    for (const name of ['UTC', 'America/New_York', 'Asia/Kolkata']) {
      const labels = rulerLabels(span, 760, new Zone(name))
      expect(labels.length).toBeGreaterThan(1)
      const xs = labels.map((label) => xOf(label.ms, span, 760))
      for (const [i, x] of xs.entries()) expect(x - (xs[i - 1] ?? -Infinity)).toBeGreaterThan(38)
      expect(labels.every((label) => label.ms >= span.fromMs && label.ms < span.toMs)).toBe(true)
    }
  })
  it('stands at round times of the zone, through a change of clocks', () => {
    const span = { fromMs: Date.UTC(2026, 10, 1, 3), toMs: Date.UTC(2026, 10, 1, 11) }
    const texts = rulerLabels(span, 700, new Zone('America/New_York')).map((label) => label.text)
    expect(texts.filter((text) => text.endsWith(':00') || /[A-Z]/.test(text))).toEqual(texts)
  })
})

describe('Timeline', () => {
  it('requests what is shown, and only the latest range while a response is pending', async () => {
    const terminal = await WindowTerminal.start()
    await terminal.control('recordSession')
    const [{ session }] = await terminal.ask('sessions.list', {})
    const { id, fromMs, toMs } = await terminal.ask('replay.open', { sessions: [session], atMs: null })
    const timeline = new Timeline(terminal)
    timeline.setRange(id, fromMs, toMs)
    for (let i = 0; i < 20; i++) {
      timeline.zoom(1.2, fromMs)
      timeline.load(600)
    }
    await terminal.settle()
    expect(timeline.data?.toMs).toBe(timeline.span.toMs)
    expect(terminal.callsOf('replay.timeline')).toHaveLength(2)
    expect(timeline.data?.counts).toHaveLength(200)
    expect(timeline.data?.counts.some((count) => count > 0)).toBe(true)
    expect(timeline.zoomed).toBe(true)
    terminal.close()
  })
  it('follows the cursor unless the user has moved away', () => {
    const timeline = new Timeline(new TestTransport())
    timeline.setRange('a', start, start + MONTH)
    timeline.zoom(1_000, start)
    timeline.follow(start, false)
    const near = timeline.span
    timeline.follow(start + lengthOf(near) * 1.5, false)
    expect(timeline.span.fromMs).toBeGreaterThan(near.fromMs)
    timeline.pan(lengthOf(near) * 20)
    const away = timeline.span
    timeline.follow(start + 1_000, false)
    expect(timeline.span).toBe(away)
    timeline.follow(start + 2_000, true)
    expect(timeline.span.fromMs).toBeLessThan(away.fromMs)
  })
})
