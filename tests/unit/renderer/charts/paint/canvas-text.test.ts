import { describe, expect, it } from 'vitest'
import { FAMILY, textFont, textPx } from '../../../../../src/renderer/charts/paint/canvas-text.ts'
import { markSize } from '../../../../../src/renderer/charts/paint/paint.ts'
import type { ChartTheme } from '../../../../../src/renderer/charts/model/chart.ts'
import { chartStyles } from '../../../../../src/renderer/charts/paint/styles.ts'
import { TEXT_SCALES } from '../../../../../src/shared/core/settings/comfort-settings.ts'

const theme = (textScale: number): ChartTheme => ({
  pane: '#000',
  raised: '#000',
  line: '#000',
  grid: '#000',
  text: '#000',
  dim: '#000',
  faint: '#000',
  accent: '#000',
  up: '#000',
  down: '#000',
  warn: '#000',
  textScale,
  series: [],
})

/** Sizes of all texts within styles, by path. */
function sizesIn(styles: unknown, path = ''): [string, number][] {
  if (typeof styles !== 'object' || styles === null) return []
  const own = styles as Record<string, unknown>
  const size = 'textFamily' in own ? own['textSize'] : 'family' in own ? own['size'] : undefined
  return [
    ...(typeof size === 'number' ? [[path, size] as [string, number]] : []),
    ...Object.entries(own).flatMap(([key, value]) => sizesIn(value, `${path}.${key}`)),
  ]
}

describe('texts on canvases', () => {
  it('have the size of the texts beside them, to half a pixel, and whole', () => {
    for (const scale of TEXT_SCALES)
      for (const px of [9, 10, 11, 13, 16]) {
        const size = textPx(px, scale / 100)
        expect(Number.isInteger(size)).toBe(true)
        expect(Math.abs(size - (px * scale) / 100)).toBeLessThanOrEqual(0.5)
      }
    expect(TEXT_SCALES.map((scale) => textFont(11, scale / 100, 500))).toContain(`500 17px ${FAMILY}`)
  })
  it('grow everywhere on a chart: axes, crosshair, the last price, its countdown, highest and lowest', () => {
    const usual = sizesIn(chartStyles(theme(1), 'candles', true))
    expect(usual.map(([path]) => path)).toEqual(
      expect.arrayContaining([
        '.xAxis.tickText',
        '.yAxis.tickText',
        '.crosshair.horizontal.text',
        '.crosshair.vertical.text',
        '.candle.priceMark.high',
        '.candle.priceMark.low',
        '.candle.priceMark.last.text',
        '.candle.priceMark.last.extendTexts.0',
      ]),
    )
    for (const scale of TEXT_SCALES)
      expect(sizesIn(chartStyles(theme(scale / 100), 'candles', true))).toEqual(
        usual.map(([path, size]) => [path, textPx(size, scale / 100)]),
      )
    expect(markSize(1.5)).toEqual({ foot: 24, radius: 11 })
  })
})
