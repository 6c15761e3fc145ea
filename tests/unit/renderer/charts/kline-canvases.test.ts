// @vitest-environment jsdom
import { beforeEach, describe, expect, it } from 'vitest'
import { openChart } from '../../../../src/renderer/charts/kline-chart.ts'
import type { ChartPort } from '../../../../src/renderer/charts/model/chart.ts'
import type { Bar } from '../../../../src/shared/core/market/market.ts'
import { makeBar } from '../../../kit/market.ts'
import '../browser-stubs.ts'
import { recordingContext, THEME, type Painted } from './recording-canvas.ts'

const MINUTE = 60_000
const [WIDTH, HEIGHT] = [800, 600]

interface Canvas {
  /** What it shows: everything painted since it was last cleared. */
  shows: Painted[]
  paintings: number
}
const canvases = new Map<HTMLCanvasElement, Canvas>()
/** Times that the size of an element was read, which makes a browser lay out the page. */
let sizesRead = 0

Object.defineProperty(HTMLCanvasElement.prototype, 'getContext', {
  configurable: true,
  value(this: HTMLCanvasElement) {
    const canvas: Canvas = canvases.get(this) ?? { shows: [], paintings: 0 }
    canvases.set(this, canvas)
    const context = recordingContext((painted) => canvas.shows.push(painted))
    context.clearRect = () => {
      canvas.shows = []
      canvas.paintings++
    }
    return context
  },
})
for (const [name, px] of [
  ['clientWidth', WIDTH],
  ['clientHeight', HEIGHT],
] as const)
  Object.defineProperty(HTMLElement.prototype, name, { configurable: true, get: () => (sizesRead++, px) })

const fonts = new EventTarget()
Object.defineProperty(document, 'fonts', { configurable: true, value: fonts })

/** Lets everything happen that waits for a frame. On a busy machine, a chart paints in every fourth one. */
async function settle(): Promise<void> {
  for (let i = 0; i < 8; i++) await new Promise((next) => requestAnimationFrame(next))
}

const barAt = (at: number, close: number, volume: number): Bar =>
  makeBar({ startMs: at * MINUTE, lengthMs: MINUTE, close, volume })

/** A chart of sixty bars, and the canvases that it painted since the last look. */
async function openBars() {
  canvases.clear()
  const host = document.createElement('div')
  document.body.append(host)
  const port: ChartPort = openChart(host, THEME)
  port.resize()
  const bars = Array.from({ length: 60 }, (_, at) => barAt(at, 100 + (at % 7), 10 + (at % 5)))
  port.load({ label: 'TAA', intervalMs: MINUTE, decimals: 2, ticks: false }, bars, false, false)
  await settle()
  const nameOf = (canvas: HTMLCanvasElement): string => {
    const box = canvas.parentElement
    const pane = box?.parentElement
    const panes = [...(pane?.parentElement?.children ?? [])].filter((one) => one.querySelector('canvas') !== null)
    const place = ['prices', 'volume', 'time'][panes.findIndex((one) => one === pane)] ?? '?'
    const part = box === pane?.firstElementChild ? '' : ' axis'
    return `${place}${part}${canvas === box?.firstElementChild ? '' : ' crosshair'}`
  }
  const look = async (): Promise<readonly string[]> => {
    await settle()
    const painted = [...canvases].filter(([, { paintings }]) => paintings > 0).map(([element]) => nameOf(element))
    for (const canvas of canvases.values()) canvas.paintings = 0
    return painted.toSorted()
  }
  await look()
  return { port, host, bars, look }
}

describe('a chart whose last bar changes', () => {
  beforeEach(() => {
    document.body.replaceChildren()
  })

  it('paints the prices, their axis and the volume, and neither the time axis nor a hidden crosshair', async () => {
    const { port, look } = await openBars()
    port.update([barAt(59, 103.5, 12)])
    expect(await look()).toEqual(['prices', 'prices axis', 'volume'])
    port.destroy()
  })

  it('reads no size of an element', async () => {
    const { port } = await openBars()
    sizesRead = 0
    port.update([barAt(59, 104.5, 11)])
    await settle()
    port.setQuote({ bid: 104, ask: 105 })
    await settle()
    expect(sizesRead).toBe(0)
    port.destroy()
  })

  it('paints both axes once their numbers change', async () => {
    const { port, look } = await openBars()
    port.update([barAt(59, 103, 5_000)])
    expect(await look()).toEqual(['prices', 'prices axis', 'volume', 'volume axis'])
    port.update([barAt(60, 103, 12)])
    expect(await look()).toContain('time')
    port.destroy()
  })

  it('paints a visible crosshair with every bar', async () => {
    const { port, host, look } = await openBars()
    port.showCrosshair(30 * MINUTE)
    expect(host.hasAttribute('data-crosshair')).toBe(true)
    expect(await look()).toContain('prices crosshair')
    port.update([barAt(59, 103.5, 12)])
    expect(await look()).toEqual(expect.arrayContaining(['prices crosshair', 'time crosshair', 'volume crosshair']))
    port.clearCrosshair()
    await look()
    port.update([barAt(59, 103.25, 12)])
    expect(await look()).toEqual(['prices', 'prices axis', 'volume'])
    port.destroy()
  })

  it('paints everything in a new theme, after a resize, and once fonts are loaded', async () => {
    const { port, look } = await openBars()
    fonts.dispatchEvent(new Event('loadingdone'))
    port.update([barAt(59, 103.5, 12)])
    expect(await look()).toEqual(['prices', 'prices axis', 'time', 'volume', 'volume axis'])
    port.setTheme({ ...THEME, dim: 'other' })
    expect(await look()).toEqual(expect.arrayContaining(['prices', 'prices axis', 'time', 'volume', 'volume axis']))
    port.resize()
    expect(await look()).toEqual(expect.arrayContaining(['prices', 'prices axis', 'time', 'volume', 'volume axis']))
    port.destroy()
  })

  it('shows what painting everything shows, after any series of changes', async () => {
    const steps: readonly ((port: ChartPort) => void)[] = [
      (port) => port.update([barAt(59, 101, 9)]),
      (port) => port.setQuote({ bid: 100.5, ask: 101.5 }),
      (port) => port.update([barAt(60, 140, 90_000)]),
      (port) => port.setZone('Asia/Tokyo'),
      (port) => port.update([barAt(61, 90, 1)]),
      (port) => port.scroll(5),
      (port) => port.setTheme({ ...THEME, dim: 'other', textScale: 1.25 }),
      (port) => port.update([barAt(62, 91, 2)]),
      (port) => port.zoom(1.5),
      (port) => port.setStyle('line'),
      (port) => port.update([barAt(62, 95, 3), barAt(63, 96, 4)]),
    ]
    const play = async (before: () => void) => {
      const { port } = await openBars()
      const shown: (readonly (readonly Painted[])[])[] = []
      for (const step of steps) {
        before()
        step(port)
        await settle()
        shown.push([...canvases.values()].map(({ shows }) => shows))
      }
      port.destroy()
      return shown
    }
    const changed = await play(() => undefined)
    // New fonts paint everything again.
    const whole = await play(() => fonts.dispatchEvent(new Event('loadingdone')))
    for (const [at, shows] of changed.entries()) expect(shows, `step ${at + 1}`).toEqual(whole[at])
  })
})
