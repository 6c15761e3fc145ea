/** Figures of drawings made of areas, texts and measures. */
import { FIB_EXTENSIONS, FIB_LEVELS, fibExtensionPrices, fibPrices } from '../price-at.ts'
import { drawingPhrase } from '../texts.ts'
import { label, labelLine, labelsInside, percent } from './figure-labels.ts'
import type { Pixel, Tone } from './figure-parts.ts'
import { clipped } from './plot-area.ts'
import { arrowHead, corners, type Sketch } from './sketch.ts'

export function addRectangle(sketch: Sketch, a: Pixel, b?: Pixel): void {
  if (b === undefined) {
    sketch.ownHandles()
    return
  }
  const ring = corners(a, b)
  sketch.strokes.push({ points: [...ring, ring[0]], tone: 'own' })
  sketch.ground(ring)
  sketch.handle(a, 0, 0)
  sketch.handle({ x: b.x, y: a.y }, 1, 0)
  sketch.handle(b, 1, 1)
  sketch.handle({ x: a.x, y: b.y }, 0, 1)
  sketch.note({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }, 0.5, 0.5)
}

export function addFibonacci(sketch: Sketch, a: Pixel, b?: Pixel, c?: Pixel): void {
  sketch.ownHandles()
  if (b === undefined) return
  const extension = sketch.drawing.kind === 'fib-extension'
  sketch.stroke(clipped(a, b, sketch.plot), { thin: true, faint: true })
  if (extension && c === undefined) return
  if (extension && c) sketch.stroke(clipped(b, c, sketch.plot), { thin: true, faint: true })
  const prices = extension ? fibExtensionPrices(sketch.points) : fibPrices(sketch.points)
  const names: readonly number[] = extension ? FIB_EXTENSIONS : FIB_LEVELS
  const from = Math.max(sketch.plot.left, Math.min(...sketch.pixels.map(({ x }) => x)))
  if (from > sketch.right) return
  const ys = prices.map((price) => sketch.level(price))
  let labelled = NaN
  ys.forEach((y, i) => {
    if (y === null) return
    const color = sketch.drawing.style.levels?.[i]
    sketch.strokes.push({
      color,
      points: [
        { x: from, y },
        { x: sketch.right, y },
      ],
      tone: 'own',
    })
    const above = ys[i - 1]
    if (i > 0 && above !== null)
      sketch.ground(corners({ x: from, y }, { x: sketch.right, y: above }), {
        color,
        // Every other band is stronger, which separates the levels without more colors.
        alpha: i % 2 === 1 ? sketch.fill : sketch.fill / 2,
        solid: false,
      })
    if (Math.abs(y - labelled) < labelLine(sketch.frame) - 1) return
    labelled = y
    const text = `${String(names[i])}  ${sketch.words.price(prices[i])}`
    sketch.labels.push({ ...label(sketch.frame, [text], { x: from + 2, y: y - 1 }, { x: 0, y: 1 }), color })
  })
}

export function addText(sketch: Sketch, a: Pixel): void {
  sketch.labels.push(
    sketch.textLabel(a, {
      x: 0,
      y: 0.5,
      bold: true,
    }),
  )
  sketch.handle({ x: a.x, y: a.y }, 0, 0)
}

export function addNote(sketch: Sketch, a: Pixel, b?: Pixel): void {
  sketch.ownHandles()
  const size = 3 + sketch.drawing.style.width
  sketch.heads.push({
    points: [-1, 0, 1, 0].map((dx, i) => ({ x: a.x + dx * size, y: a.y + [0, -1, 0, 1][i] * size })),
    tone: 'own',
  })
  if (b === undefined) return
  sketch.stroke(clipped(a, b, sketch.plot))
  sketch.labels.push(
    sketch.textLabel(b, {
      x: 0.5,
      y: 0.5,
    }),
  )
}

export function addBrush(sketch: Sketch, a: Pixel): void {
  sketch.strokes.push({ points: sketch.pixels, tone: 'own', smooth: true })
  sketch.handle(a, null, null)
  sketch.handle(sketch.pixels[sketch.pixels.length - 1], null, null)
}

export function addPosition(sketch: Sketch, a: Pixel, b?: Pixel, c?: Pixel): void {
  if (b === undefined || c === undefined) {
    sketch.ownHandles()
    return
  }
  const [entry, target, stop] = sketch.points
  const edge = { x: b.x, y: a.y }
  sketch.grounds.push({ points: corners(a, b), tone: 'up', alpha: sketch.fill, solid: true })
  sketch.grounds.push({
    points: corners(a, { x: b.x, y: c.y }),
    tone: 'down',
    alpha: sketch.fill,
    solid: true,
  })
  sketch.stroke([a, edge])
  sketch.stroke([{ x: a.x, y: b.y }, b], { tone: 'up' })
  sketch.stroke(
    [
      { x: a.x, y: c.y },
      { x: b.x, y: c.y },
    ],
    { tone: 'down' },
  )
  sketch.handle(a, 0, 0)
  sketch.handle(b, 1, 1)
  sketch.handle({ x: b.x, y: c.y }, 1, 2)
  const risk = Math.abs(entry.price - stop.price)
  const reward = Math.abs(target.price - entry.price)
  const middle = (a.x + b.x) / 2
  const targetUp = b.y <= a.y
  const priceText = (of: 'target' | 'stop', price: number): string =>
    drawingPhrase(`drawings.${of}`, { price: sketch.words.price(price), percent: percent(entry.price, price) })
  const labels = [
    label(sketch.frame, [priceText('target', target.price)], { x: middle, y: b.y }, {
      x: 0.5, y: targetUp ? 1 : 0, tone: 'up', boxed: true,
    }), // oxfmt-ignore
    label(sketch.frame, [priceText('stop', stop.price)], { x: middle, y: c.y }, {
      x: 0.5, y: targetUp ? 0 : 1, tone: 'down', boxed: true,
    }), // oxfmt-ignore
    label(
      sketch.frame,
      [
        drawingPhrase(`drawings.${sketch.drawing.kind === 'short' ? 'short' : 'long'}-entry`, {
          price: sketch.words.price(entry.price),
          ratio: risk === 0 ? '—' : `${(reward / risk).toFixed(2)} : 1`,
        }),
      ],
      { x: middle, y: a.y },
      { x: 0.5, y: 0.5, boxed: true },
    ),
  ]
  sketch.labels.push(...labelsInside(labels, { x: a.x, y: b.y }, { x: b.x, y: c.y }, sketch.plot))
  sketch.note({ x: Math.min(a.x, b.x) + 2, y: a.y - 1 }, 0, 1)
}

export function addMeasurement(sketch: Sketch, a: Pixel, b?: Pixel): void {
  sketch.ownHandles()
  if (b === undefined) return
  const [from, to] = sketch.points
  const tone: Tone = to.price >= from.price ? 'up' : 'down'
  sketch.grounds.push({ points: corners(a, b), tone, alpha: Math.max(sketch.fill, 0.08), solid: true })
  const middle = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }
  sketch.stroke(
    [
      { x: middle.x, y: a.y },
      { x: middle.x, y: b.y },
    ],
    { tone, thin: true },
  )
  sketch.stroke(
    [
      { x: a.x, y: middle.y },
      { x: b.x, y: middle.y },
    ],
    { tone, thin: true },
  )
  if (Math.abs(b.y - a.y) > 14) sketch.heads.push(arrowHead({ x: middle.x, y: a.y }, { x: middle.x, y: b.y }, 0, tone))
  if (Math.abs(b.x - a.x) > 14) sketch.heads.push(arrowHead({ x: a.x, y: middle.y }, { x: b.x, y: middle.y }, 0, tone))
  const lines = [
    `${sketch.words.change(to.price - from.price)}  ${percent(from.price, to.price)}`,
    sketch.words.span(from, to),
    ...(sketch.drawing.text === '' ? [] : sketch.drawing.text.split('\n')),
  ]
  const up = b.y <= a.y
  const one = label(
    sketch.frame,
    lines,
    { x: middle.x, y: b.y + (up ? -6 : 6) },
    { x: 0.5, y: up ? 1 : 0, tone, boxed: true },
  )
  sketch.labels.push(...labelsInside([one], a, b, sketch.plot))
}
