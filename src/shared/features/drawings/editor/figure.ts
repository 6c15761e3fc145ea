/**
 * What a drawing looks like at a position and zoom: lines, fills, labels and handles in px. The painter draws it and
 * the pointer is tested against it, so what is visible is what can be grabbed. Pure.
 */
import { drawingPhrase } from '../texts.ts'
import type { Figure, Frame, Ground, Handle, Head, Label, Pixel, Stroke, Tone } from './figure-parts.ts'
import { labelsInside, label, labelLine, percent } from './figure-labels.ts'
import { clipped } from './plot-area.ts'
import { FIB_EXTENSIONS, FIB_LEVELS, fibExtensionPrices, fibPrices } from '../price-at.ts'
import { REGRESSION_DEVIATIONS, regressionOf } from '../regression.ts'
import type { Drawing, DrawingPoint } from '../types.ts'

interface Parts {
  readonly strokes: Stroke[]
  readonly grounds: Ground[]
  readonly heads: Head[]
  readonly labels: Label[]
  readonly handles: Handle[]
}

function arrowHead(from: Pixel, to: Pixel, width: number, tone: Tone = 'own'): Head {
  const angle = Math.atan2(to.y - from.y, to.x - from.x)
  const size = 7 + width * 2.5
  const wing = (turn: number): Pixel => ({
    x: to.x - size * Math.cos(angle + turn),
    y: to.y - size * Math.sin(angle + turn),
  })
  return { points: [to, wing(0.42), wing(-0.42)], tone }
}

/** Ratios without unneeded digits: 0.5, 1, 1.618. */
const ratio = (value: number): string => String(value)

const corners = (a: Pixel, b: Pixel): Pixel[] => [a, { x: b.x, y: a.y }, b, { x: a.x, y: b.y }]

/**
 * The figure of a drawing, or null if none of it can be placed. A drawing in progress may have fewer points than its
 * kind needs; the available part is shown.
 */
export function figureOf(drawing: Drawing, frame: Frame): Figure | null {
  const known = frame.known?.get(drawing)
  if (known !== undefined) return known
  const figure = figureNow(drawing, frame)
  frame.known?.set(drawing, figure)
  return figure
}

function figureNow(drawing: Drawing, frame: Frame): Figure | null {
  const { points, style } = drawing
  const { plot, words } = frame
  const pixels: Pixel[] = []
  for (const point of points) {
    const pixel = frame.toPixel(point)
    if (pixel === null || !Number.isFinite(pixel.x) || !Number.isFinite(pixel.y)) return null
    pixels.push(pixel)
  }
  const [a, b, c] = pixels as (Pixel | undefined)[] // As many as there are.
  if (a === undefined) return null
  const parts: Parts = { strokes: [], grounds: [], heads: [], labels: [], handles: [] }
  const right = plot.left + plot.width
  const bottom = plot.top + plot.height
  const stroke = (line: [Pixel, Pixel] | null, more: Partial<Stroke> = {}): void => {
    if (line) parts.strokes.push({ points: line, tone: 'own', ...more })
  }
  const handle = (pixel: Pixel, msOf: number | null, priceOf: number | null): void => {
    parts.handles.push({ ...pixel, msOf, priceOf })
  }
  const ownHandles = (): void => pixels.forEach((pixel, i) => handle(pixel, i, i))
  /** The user's text next to it. */
  const note = (at: Pixel, x: number, y: number): void => {
    if (drawing.text !== '') parts.labels.push(label(frame, drawing.text.split('\n'), at, { x, y }))
  }
  const level = (price: number): number | null => {
    const pixel = frame.toPixel({ ms: points[0].ms, price })
    return pixel && Number.isFinite(pixel.y) ? pixel.y : null
  }

  switch (drawing.kind) {
    case 'trend':
    case 'ray':
    case 'extended':
    case 'arrow': {
      ownHandles()
      if (b === undefined) break
      const line = clipped(a, b, plot, {
        start: drawing.kind === 'extended',
        end: drawing.kind === 'ray' || drawing.kind === 'extended',
      })
      stroke(line)
      if (drawing.kind === 'arrow' && line) parts.heads.push(arrowHead(a, b, style.width))
      note({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 - 3 }, 0.5, 1)
      break
    }
    case 'horizontal': {
      stroke([
        { x: plot.left, y: a.y },
        { x: right, y: a.y },
      ])
      handle({ x: Math.max(plot.left + 12, Math.min(a.x, right - 12)), y: a.y }, 0, 0)
      parts.labels.push(label(frame, [words.price(points[0].price)], { x: right - 4, y: a.y - 2 }, { x: 1, y: 1 }))
      note({ x: plot.left + 4, y: a.y - 2 }, 0, 1)
      break
    }
    case 'vertical': {
      stroke([
        { x: a.x, y: plot.top },
        { x: a.x, y: bottom },
      ])
      handle({ x: a.x, y: Math.max(plot.top + 12, Math.min(a.y, bottom - 12)) }, 0, 0)
      note({ x: a.x + 3, y: bottom - 6 }, 0, 1)
      break
    }
    case 'channel': {
      ownHandles()
      if (b === undefined) break
      stroke(clipped(a, b, plot))
      if (c === undefined) break
      // Straight on the screen, so also parallel there.
      const rise = b.x === a.x ? 0 : a.y + ((b.y - a.y) * (c.x - a.x)) / (b.x - a.x)
      const away = c.y - rise
      const upper: Pixel = { x: a.x, y: a.y + away }
      const end: Pixel = { x: b.x, y: b.y + away }
      stroke(clipped(upper, end, plot))
      stroke(clipped({ x: a.x, y: a.y + away / 2 }, { x: b.x, y: b.y + away / 2 }, plot), { thin: true, faint: true })
      if (style.fill > 0)
        parts.grounds.push({ points: [a, b, end, upper], tone: 'own', alpha: style.fill, solid: true })
      note({ x: (a.x + b.x) / 2, y: Math.min((a.y + b.y) / 2, (upper.y + end.y) / 2) - 3 }, 0.5, 1)
      break
    }
    case 'pitchfork': {
      ownHandles()
      if (b === undefined) break
      if (c === undefined) {
        stroke(clipped(a, b, plot))
        break
      }
      const middle: Pixel = { x: (b.x + c.x) / 2, y: (b.y + c.y) / 2 }
      const along = ({ x, y }: Pixel): Pixel => ({ x: x + middle.x - a.x, y: y + middle.y - a.y })
      const tines = [b, c].map((from) => clipped(from, along(from), plot, { end: true }))
      stroke(clipped(a, middle, plot, { end: true }))
      for (const tine of tines) stroke(tine)
      stroke(clipped(b, c, plot), { thin: true, faint: true })
      const [upper, lower] = tines
      if (style.fill > 0 && upper && lower)
        parts.grounds.push({
          points: [...upper, lower[1], lower[0]],
          tone: 'own',
          alpha: style.fill,
          solid: false,
        })
      note({ x: a.x, y: a.y - 6 }, 0.5, 1)
      break
    }
    case 'regression': {
      const found = b === undefined ? null : regressionFigure(points, frame)
      if (found === null) {
        ownHandles()
        if (b) stroke(clipped(a, b, plot), { thin: true, faint: true })
        break
      }
      const [base, upper, lower] = found
      if (style.fill > 0)
        parts.grounds.push({ points: [...upper, ...lower.toReversed()], tone: 'own', alpha: style.fill, solid: true })
      parts.strokes.push({ points: base, tone: 'own' })
      for (const points of [upper, lower]) parts.strokes.push({ points, tone: 'own', thin: true })
      const [start, end] = [base[0], base[base.length - 1]]
      const [first, last] = points[0].ms <= points[1].ms ? [0, 1] : [1, 0]
      handle(start, first, null)
      handle(end, last, null)
      note({ x: (start.x + end.x) / 2, y: Math.min(...upper.map(({ y }) => y)) - 3 }, 0.5, 1)
      break
    }
    case 'rectangle': {
      if (b === undefined) {
        ownHandles()
        break
      }
      const ring = corners(a, b)
      parts.strokes.push({ points: [...ring, ring[0]], tone: 'own' })
      if (style.fill > 0) parts.grounds.push({ points: ring, tone: 'own', alpha: style.fill, solid: true })
      handle(a, 0, 0)
      handle({ x: b.x, y: a.y }, 1, 0)
      handle(b, 1, 1)
      handle({ x: a.x, y: b.y }, 0, 1)
      note({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }, 0.5, 0.5)
      break
    }
    case 'fib':
    case 'fib-extension': {
      ownHandles()
      if (b === undefined) break
      const extension = drawing.kind === 'fib-extension'
      stroke(clipped(a, b, plot), { thin: true, faint: true })
      if (extension && c === undefined) break
      if (extension && c) stroke(clipped(b, c, plot), { thin: true, faint: true })
      const prices = extension ? fibExtensionPrices(points) : fibPrices(points)
      const names: readonly number[] = extension ? FIB_EXTENSIONS : FIB_LEVELS
      const from = Math.max(plot.left, Math.min(...pixels.map(({ x }) => x)))
      if (from > right) break
      const ys = prices.map(level)
      let labelled = NaN
      ys.forEach((y, i) => {
        if (y === null) return
        const color = style.levels?.[i]
        parts.strokes.push({
          color,
          points: [
            { x: from, y },
            { x: right, y },
          ],
          tone: 'own',
        })
        const above = ys[i - 1]
        if (style.fill > 0 && i > 0 && above !== null)
          parts.grounds.push({
            points: corners({ x: from, y }, { x: right, y: above }),
            tone: 'own',
            color,
            // Every other band is stronger, which separates the levels without more colors.
            alpha: i % 2 === 1 ? style.fill : style.fill / 2,
            solid: false,
          })
        if (Math.abs(y - labelled) < labelLine(frame) - 1) return
        labelled = y
        const text = `${ratio(names[i])}  ${words.price(prices[i])}`
        parts.labels.push({ ...label(frame, [text], { x: from + 2, y: y - 1 }, { x: 0, y: 1 }), color })
      })
      break
    }
    case 'text': {
      const one = label(frame, drawing.text === '' ? ['…'] : drawing.text.split('\n'), a, { x: 0, y: 0.5, bold: true })
      parts.labels.push({ ...one, boxed: style.fill > 0 })
      handle({ x: a.x, y: a.y }, 0, 0)
      break
    }
    case 'note': {
      ownHandles()
      const size = 3 + style.width
      parts.heads.push({
        points: [-1, 0, 1, 0].map((dx, i) => ({ x: a.x + dx * size, y: a.y + [0, -1, 0, 1][i] * size })),
        tone: 'own',
      })
      if (b === undefined) break
      stroke(clipped(a, b, plot))
      const one = label(frame, drawing.text === '' ? ['…'] : drawing.text.split('\n'), b, { x: 0.5, y: 0.5 })
      parts.labels.push({ ...one, boxed: style.fill > 0 })
      break
    }
    case 'brush': {
      parts.strokes.push({ points: pixels, tone: 'own', smooth: true })
      handle(a, null, null)
      handle(pixels[pixels.length - 1], null, null)
      break
    }
    case 'long':
    case 'short': {
      if (b === undefined || c === undefined) {
        ownHandles()
        break
      }
      const [entry, target, stop] = points
      const edge = { x: b.x, y: a.y }
      parts.grounds.push({ points: corners(a, b), tone: 'up', alpha: style.fill, solid: true })
      parts.grounds.push({ points: corners(a, { x: b.x, y: c.y }), tone: 'down', alpha: style.fill, solid: true })
      stroke([a, edge])
      stroke([{ x: a.x, y: b.y }, b], { tone: 'up' })
      stroke(
        [
          { x: a.x, y: c.y },
          { x: b.x, y: c.y },
        ],
        { tone: 'down' },
      )
      handle(a, 0, 0)
      handle(b, 1, 1)
      handle({ x: b.x, y: c.y }, 1, 2)
      const risk = Math.abs(entry.price - stop.price)
      const reward = Math.abs(target.price - entry.price)
      const middle = (a.x + b.x) / 2
      const targetUp = b.y <= a.y
      const priceText = (of: 'target' | 'stop', price: number): string =>
        drawingPhrase(`drawings.${of}`, { price: words.price(price), percent: percent(entry.price, price) })
      const labels = [
        label(frame, [priceText('target', target.price)], { x: middle, y: b.y }, {
          x: 0.5, y: targetUp ? 1 : 0, tone: 'up', boxed: true,
        }), // prettier-ignore
        label(frame, [priceText('stop', stop.price)], { x: middle, y: c.y }, {
          x: 0.5, y: targetUp ? 0 : 1, tone: 'down', boxed: true,
        }), // prettier-ignore
        label(
          frame,
          [
            drawingPhrase(`drawings.${drawing.kind}-entry`, {
              price: words.price(entry.price),
              ratio: risk === 0 ? '—' : `${(reward / risk).toFixed(2)} : 1`,
            }),
          ],
          { x: middle, y: a.y },
          { x: 0.5, y: 0.5, boxed: true },
        ),
      ]
      parts.labels.push(...labelsInside(labels, { x: a.x, y: b.y }, { x: b.x, y: c.y }, plot))
      note({ x: Math.min(a.x, b.x) + 2, y: a.y - 1 }, 0, 1)
      break
    }
    case 'measure': {
      ownHandles()
      if (b === undefined) break
      const [from, to] = points
      const tone: Tone = to.price >= from.price ? 'up' : 'down'
      parts.grounds.push({ points: corners(a, b), tone, alpha: Math.max(style.fill, 0.08), solid: true })
      const middle = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }
      stroke(
        [
          { x: middle.x, y: a.y },
          { x: middle.x, y: b.y },
        ],
        { tone, thin: true },
      )
      stroke(
        [
          { x: a.x, y: middle.y },
          { x: b.x, y: middle.y },
        ],
        { tone, thin: true },
      )
      if (Math.abs(b.y - a.y) > 14)
        parts.heads.push(arrowHead({ x: middle.x, y: a.y }, { x: middle.x, y: b.y }, 0, tone))
      if (Math.abs(b.x - a.x) > 14)
        parts.heads.push(arrowHead({ x: a.x, y: middle.y }, { x: b.x, y: middle.y }, 0, tone))
      const lines = [
        `${words.change(to.price - from.price)}  ${percent(from.price, to.price)}`,
        words.span(from, to),
        ...(drawing.text === '' ? [] : drawing.text.split('\n')),
      ]
      const up = b.y <= a.y
      const one = label(
        frame,
        lines,
        { x: middle.x, y: b.y + (up ? -6 : 6) },
        { x: 0.5, y: up ? 1 : 0, tone, boxed: true },
      )
      parts.labels.push(...labelsInside([one], a, b, plot))
      break
    }
  }
  // Points too far apart for pixel coordinates make no visible line.
  return {
    ...parts,
    strokes: parts.strokes.filter(({ points: line }) => line.every(isPlace)),
    grounds: parts.grounds.filter(({ points: ring }) => ring.every(isPlace)),
    heads: parts.heads.filter(({ points: ring }) => ring.every(isPlace)),
  }
}

/** Most points of a regression line: on a logarithmic scale it is a curve. */
const REGRESSION_POINTS = 48

/** The line and its two bounds over the bars between two points; null without bars. */
function regressionFigure([a, b]: readonly DrawingPoint[], frame: Frame): readonly [Pixel[], Pixel[], Pixel[]] | null {
  const bars = frame.closes?.(Math.min(a.ms, b.ms), Math.max(a.ms, b.ms)) ?? []
  const line = regressionOf(bars.map(({ close }) => close))
  if (line === null) return null
  const last = bars.length - 1
  const count = Math.min(bars.length, REGRESSION_POINTS)
  const indexes = Array.from({ length: count }, (_, i) => Math.round((i * last) / (count - 1)))
  const along = (deviations: number): Pixel[] =>
    indexes.flatMap((i) => {
      const price = line.first + ((line.last - line.first) * i) / last + deviations * line.deviation
      const pixel = frame.toPixel({ ms: bars[i].ms, price })
      return pixel && isPlace(pixel) ? [pixel] : []
    })
  const lines = [along(0), along(REGRESSION_DEVIATIONS), along(-REGRESSION_DEVIATIONS)] as const
  return lines.every(({ length }) => length > 1) ? lines : null
}

const isPlace = ({ x, y }: Pixel): boolean => Number.isFinite(x) && Number.isFinite(y)
