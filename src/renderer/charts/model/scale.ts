/** Scales of the price axis: positions of prices, and where the axis has lines. Pure. */
import type { ChartScale } from '../../../shared/features/chart/chart-settings.ts'
import { fixedText } from '../../../shared/base/fixed-text.ts'

export interface PriceTick {
  readonly price: number
  readonly text: string
}

/** The position of a price on a scale, up to a factor: equal differences are equal distances on screen. */
export const toScale = (scale: ChartScale, price: number): number => (scale === 'log' ? Math.log10(price) : price)
export const fromScale = (scale: ChartScale, place: number): number => (scale === 'log' ? 10 ** place : place)

/** The next step of 1, 2 or 5 times a power of ten that is at least `least`. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least))
  const factor = least / power
  return (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10) * power
}

/** The decimals needed to distinguish values that are `step` apart. */
const decimalsOf = (step: number): number => Math.max(0, Math.min(12, -Math.floor(Math.log10(step) + 1e-9)))

/** Even steps from `from` to `to`, up to a maximum count. */
function evenly(from: number, to: number, most: number): { readonly values: number[]; readonly step: number } {
  const step = niceStep((to - from) / Math.max(1, most))
  const values: number[] = []
  for (let n = Math.ceil(from / step - 1e-9); n * step <= to + step * 1e-9; n++) values.push(n * step)
  return { values, step }
}

/** Prices at even steps, as many as have different texts: no step is finer than the decimals of the instrument. */
function evenPrices(from: number, to: number, most: number, format: (price: number) => string): readonly PriceTick[] {
  for (let count = most; count > 1; count--) {
    const ticks = evenly(from, to, count).values.map((price) => ({ price, text: format(price) }))
    if (new Set(ticks.map(({ text }) => text)).size === ticks.length) return ticks
  }
  return evenly(from, to, 1)
    .values.slice(0, 1)
    .map((price) => ({ price, text: format(price) }))
}

/** Signed percent change from a base to a price: "+1.50%". */
export function percentText(price: number, base: number, decimals: number): string {
  const percent = (price / base - 1) * 100
  const text = fixedText(Math.abs(percent), decimals)
  return `${/^[0.]+$/.test(text) ? '' : percent > 0 ? '+' : '−'}${text}%`
}

/**
 * Lines of the price axis from `from` to `to` (prices, from < to), at least `apart` px apart on a height of `height`
 * px. `base`: the price that percent counts from. `format` formats a price with its decimals.
 */
export function priceTicks(
  scale: ChartScale,
  from: number,
  to: number,
  height: number,
  base: number,
  format: (price: number) => string,
  apart = 36,
): readonly PriceTick[] {
  const most = Math.max(1, Math.floor(height / apart))
  if (!(to > from) || !Number.isFinite(to - from)) return []
  switch (scale) {
    case 'linear':
      return evenPrices(from, to, most, format)
    case 'percent': {
      if (!(base > 0)) return []
      const { values, step } = evenly((from / base - 1) * 100, (to / base - 1) * 100, most)
      const decimals = decimalsOf(step)
      return values.map((percent) => {
        const price = base * (1 + percent / 100)
        return { price, text: percentText(price, base, decimals) }
      })
    }
    case 'log': {
      if (!(from > 0)) return []
      // Below a threefold range, even price steps are nearly even on screen and give rounder numbers.
      if (to / from < 3) return evenPrices(from, to, most, format)
      const decades = Math.log10(to / from)
      const factors = decades * 3 <= most ? [1, 2, 5] : [1]
      const every = factors.length === 1 ? Math.max(1, Math.ceil(decades / most)) : 1
      const ticks: PriceTick[] = []
      for (let power = Math.floor(Math.log10(from)); power <= Math.ceil(Math.log10(to)); power++) {
        if (power % every !== 0) continue
        for (const factor of factors) {
          const price = factor * 10 ** power
          if (price >= from && price <= to) ticks.push({ price, text: format(price) })
        }
      }
      return ticks
    }
  }
}

/**
 * Ticks at an indicator's own levels, such as 30 and 70 of the RSI, and halfway between the outer ones; null if it has
 * fewer than two. Pixels are from the top.
 */
export function levelTicks(
  levels: readonly number[],
  { realFrom, realRange }: { readonly realFrom: number; readonly realRange: number },
  height: number,
): { readonly coord: number; readonly value: number; readonly text: string }[] | null {
  if (levels.length < 2) return null
  const middle = (Math.min(...levels) + Math.max(...levels)) / 2
  return [...new Set([...levels, middle])]
    .map((value) => ({ coord: (1 - (value - realFrom) / realRange) * height, value, text: String(value) }))
    .filter(({ coord }) => coord > 0 && coord < height)
}

const thousands = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })
/** Formats a large number compactly. */
export function bigText(value: string | number): string {
  const n = Number(value)
  const size = Math.abs(n)
  if (size >= 1e9) return `${(n / 1e9).toFixed(2)}B`
  if (size >= 1e6) return `${(n / 1e6).toFixed(2)}M`
  if (size >= 1e4) return `${(n / 1e3).toFixed(1)}K`
  return size >= 100 ? thousands.format(n) : String(Number(n.toPrecision(4)))
}
