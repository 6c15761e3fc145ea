/**
 * What repainting a footprint of 500 bars costs: the chart of the window alone in headless Chromium, which paints on the
 * processor here. Beside it, the same bars as candles.
 */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chromium, type Browser, type Page } from '@playwright/test'
import { build } from 'vite'
import type { Bar } from '../src/shared/core/market/market.ts'
import type { CellColumns } from '../src/shared/core/market/flow/cells.ts'
import { unixMs } from '../src/shared/base/units.ts'
import { rendererSeconds } from './cpu.ts'
import { row, type Row } from './row.ts'
import { machineOf } from '../scripts/lib/report.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const BARS = 500
/** Price rows of a bar: the most that rows chosen by the chart give the usual bar. */
const ROWS = 24
const FRAME_MS = 1_000 / 60
const MINUTE = 60_000

const BESIDE_CANDLES = { name: 'the same repainted, beside candles', peerName: 'the same bars as candles', goal: null }

const ENTRY = 'footprint-page'
const PAGE = `
import { openChart } from '/src/renderer/charts/kline-chart.ts'
import { LINE_COLORS } from '/src/renderer/charts/model/line-style.ts'
const frame = () => new Promise((next) => requestAnimationFrame(next))
let port, cells, bars
let painted = 0
const { prototype } = CanvasRenderingContext2D
const { fillRect } = prototype
prototype.fillRect = function (...at) {
  painted++
  fillRect.apply(this, at)
}
window.bench = {
  async open(shown) {
    ;({ bars, cells } = shown)
    const theme = { pane: '#0f1216', raised: '#1a1f26', line: '#2a313b', grid: '#1d232b', text: '#e6e9ee', dim: '#9aa4b2',
      faint: '#5b6675', accent: '#4d9fff', up: '#2fbf8f', down: '#f0616d', warn: '#e2b340', textScale: 1, series: LINE_COLORS.dark }
    port = openChart(document.querySelector('main'), theme)
    port.load({ label: 'X', intervalMs: ${MINUTE}, decimals: 0, ticks: false }, bars, false, false)
    for (let i = 0; i < 5; i++) await frame()
  },
  async style(style) {
    port.setStyle(style)
    this.show()
    port.fit()
    for (let i = 0; i < 20; i++) await frame()
    return port.visibleBars().length
  },
  show() {
    port.setFootprint({ rows: { decimals: 0, group: 1 }, cellsOf: (startMs) => cells[startMs / ${MINUTE}] })
  },
  /** A trade in the last bar. */
  trade(i) {
    const last = cells.length - 1
    cells[last] = { ...cells[last], buy: cells[last].buy.map((size, row) => (row === i % ${ROWS} ? size + 1 : size)) }
    bars[last] = { ...bars[last], volume: bars[last].volume + 1, close: bars[last].low + (i % ${ROWS}) }
    port.update([bars[last]])
    this.show()
  },
  /** Frames that so many repaints took. The window's charts skip frames on a busy machine. */
  async repaint(times, how, rectangles) {
    let frames = 0
    for (let i = 0; i < times; i++) {
      painted = 0
      if (how === 'trade') this.trade(i)
      else if (how === 'scroll') port.scroll(i % 2 === 0 ? -1 : 1)
      do {
        await frame()
        frames++
        if (frames > times + 1_000) throw new Error('the chart does not paint')
      } while (painted < rectangles)
    }
    return frames
  },
}`

/** Numbers from 0 to 1, the same in every run. */
function lcg(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 0x1_0000_0000
  }
}

function marketOf(): { readonly bars: readonly Bar[]; readonly cells: readonly CellColumns[] } {
  const random = lcg(3)
  const bars: Bar[] = []
  const cells: CellColumns[] = []
  let low = 5_000
  for (let i = 0; i < BARS; i++) {
    low += Math.round((random() - 0.5) * ROWS)
    const sizes = (scale: number): number[] => Array.from({ length: ROWS }, () => Math.floor(random() ** 3 * scale))
    const one = { buy: sizes(200), sell: sizes(200), unknown: sizes(10) }
    cells.push({
      row: Array.from({ length: ROWS }, (_, at) => low + at),
      ...one,
      count: Array.from({ length: ROWS }, () => 5),
    })
    const [from, to] = [low + Math.floor(random() * ROWS), low + Math.floor(random() * ROWS)]
    bars.push({
      ...{ startMs: unixMs(i * MINUTE), endMs: unixMs((i + 1) * MINUTE), open: from, close: to },
      ...{ high: low + ROWS - 1, low, count: 5 * ROWS, complete: i < BARS - 1 },
      volume: [...one.buy, ...one.sell, ...one.unknown].reduce((a, b) => a + b, 0),
    })
  }
  return { bars, cells }
}

async function bundled(): Promise<string> {
  const output = await build({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    plugins: [
      {
        name: ENTRY,
        resolveId: (id) => (id === ENTRY ? `\0${ENTRY}` : null),
        load: (id) => (id === `\0${ENTRY}` ? PAGE : null),
      },
    ],
    build: { write: false, rolldownOptions: { input: ENTRY } },
  })
  const [part] = [output].flat()
  if (!('output' in part)) throw new Error('the bundler watches')
  const [chunk, ...others] = part.output.filter((one) => one.type === 'chunk')
  if (others.length > 0) throw new Error('the page is in several parts')
  return chunk.code
}

/** Processor time of the renderer for each repaint beyond that of frames that change nothing, ms. */
async function msOf(browser: Browser, page: Page, times: number, how: 'trade' | 'scroll', least: number) {
  const measure = async (what: string, rectangles: number): Promise<{ frames: number; ms: number }> => {
    const from = await rendererSeconds(browser)
    const frames = await page.evaluate<number>(`bench.repaint(${times}, '${what}', ${rectangles})`)
    return { frames, ms: ((await rendererSeconds(browser)) - from) * 1_000 }
  }
  // Once before: the code is compiled, and the marks of the bars are known.
  await measure(how, least)
  const idle = await measure('nothing', 0)
  const busy = await measure(how, least)
  return (busy.ms - (idle.ms / idle.frames) * busy.frames) / times
}

/**
 * Measures `times` repaints of each kind, and `withCandles` those of candles, which have no goal. Answers no rows, and says
 * why, where there is no Chromium.
 */
export async function benchFootprint(times = 600, withCandles = true): Promise<readonly Row[]> {
  const executablePath = process.env.TAPEDECK_CHROMIUM || '/usr/bin/chromium'
  if (!existsSync(executablePath)) {
    if (machineOf().ci) throw new Error(`there is no ${executablePath}`)
    console.error(`skipped: there is no ${executablePath}`)
    return []
  }
  const script = await bundled()
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.setContent('<!doctype html><style>*{margin:0}main{width:1160px;height:820px}</style><main></main>')
    await page.addScriptTag({ content: script, type: 'module' })
    await page.waitForFunction('window.bench')
    await page.evaluate(`bench.open(${JSON.stringify(marketOf())})`)
    const measured = async (style: string, how: 'trade' | 'scroll'): Promise<number> => {
      const shown = await page.evaluate(`bench.style('${style}')`)
      if (shown !== BARS) throw new Error(`${String(shown)} bars are in view`)
      return msOf(browser, page, times, how, style === 'footprint' ? BARS * ROWS : BARS)
    }
    const candles = withCandles ? await measured('candles', 'trade') : null
    const footprint = await measured('footprint', 'trade')
    const scrolled = await measured('footprint', 'scroll')
    const of = { unit: 'ms', peer: FRAME_MS, peerName: 'one frame' }
    const goal = { is: 'at most', ratio: 1 } as const
    return [
      row({ ...of, name: `a footprint of ${BARS} bars of ${ROWS} rows, repainted`, ours: footprint, goal }),
      row({ ...of, name: 'the same, scrolled by a bar', ours: scrolled, goal }),
      ...(candles === null ? [] : [row({ ...of, ...BESIDE_CANDLES, ours: footprint, peer: candles })]),
    ]
  } finally {
    await browser.close()
  }
}
