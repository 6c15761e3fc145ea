/** Names of the figures, spans and universes of screens. */
import type { AssetClass } from '../../../shared/base/units.ts'
import { labelsOf, t } from '../../../shared/base/text.ts'
import type { MetricId } from '../../../shared/features/screener/metrics.ts'
import type { ScreenSpan } from '../../../shared/features/screener/screen.ts'

/** The heading of a column. */
export const metricTitle = labelsOf({
  'metric.price': 'Price',
  'metric.change': 'Chg',
  'metric.changePercent': 'Chg %',
  'metric.high': 'High',
  'metric.low': 'Low',
  'metric.range': 'Range %',
  'metric.place': 'In range %',
  'metric.volume': 'Volume',
  'metric.turnover': 'Turnover',
  'metric.updates': 'Updates',
  'metric.volatility': 'Volatility %',
  'metric.correlation': 'Correlation',
  'metric.spread': 'Spread bp',
  'metric.gaps': 'Gaps',
  'metric.missing': 'Missing',
  'metric.coverage': 'Received %',
  'metric.age': 'Age',
  'metric.marketCap': 'Market cap',
  'metric.priceToEarnings': 'P/E',
  'metric.priceToBook': 'P/B',
  'metric.earningsPerShare': 'EPS',
  'metric.dividendYield': 'Dividend %',
  'metric.netMargin': 'Net margin %',
  'metric.returnOnEquity': 'ROE %',
  'metric.debtToEquity': 'Debt/equity',
} satisfies Readonly<Record<`metric.${MetricId}`, string>>)

/** What a figure is, for its tooltip. */
export const metricAbout = labelsOf({
  'metric.price': 'Last price',
  'metric.change': 'Change over the span',
  'metric.changePercent': 'Change over the span, in percent',
  'metric.high': 'Highest price of the span',
  'metric.low': 'Lowest price of the span',
  'metric.range': 'High minus low, in percent of the low',
  'metric.place': 'Where the price is between low (0) and high (100)',
  'metric.volume': 'Volume of the span, in the instrument’s own units',
  'metric.turnover': 'Volume times close, summed over the bars of the span',
  'metric.updates': 'Trades of the span, or quotes where there are no trades',
  'metric.volatility': 'Realized volatility of the span: the root of the sum of squared log returns of its bars',
  'metric.correlation': 'Correlation of the log returns of its bars with those of the reference; needs ten in common',
  'metric.spread': 'Ask minus bid, in hundredths of a percent of the mid',
  'metric.gaps': 'Gaps that touch the span',
  'metric.missing': 'Trading time of the span that wasn’t received',
  'metric.coverage': 'Share of the span’s trading time that was received',
  'metric.age': 'Time since the last message',
  'metric.marketCap': 'Market capitalization, from the latest saved research response',
  'metric.priceToEarnings': 'Price to earnings, from the latest saved research response',
  'metric.priceToBook': 'Price to book, from the latest saved research response',
  'metric.earningsPerShare': 'Earnings per share, from the latest saved research response',
  'metric.dividendYield': 'Dividend yield, from the latest saved research response',
  'metric.netMargin': 'Net margin, from the latest saved research response',
  'metric.returnOnEquity': 'Return on equity, from the latest saved research response',
  'metric.debtToEquity': 'Debt to equity, from the latest saved research response',
} satisfies Readonly<Record<`metric.${MetricId}`, string>>)

export const SPAN_LABELS: Readonly<Record<ScreenSpan, string>> = {
  '1h': t('1 hour'),
  '4h': t('4 hours'),
  '1d': t('24 hours'),
  '1w': t('7 days'),
  '30d': t('30 days'),
}

export const UNIVERSE_LABELS: Readonly<Record<AssetClass | 'all', string>> = {
  all: t('Everything recorded'),
  crypto: t('Crypto'),
  forex: t('Forex'),
  stocks: t('Stocks'),
}
