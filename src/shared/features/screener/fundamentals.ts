/** Figures of companies in responses whose shape isn't documented, found by the names of their fields. Pure. */
import { readResponse } from '../research/read.ts'
import { numberOf } from '../research/types.ts'
import type { FundamentalId, MetricValues } from './metrics.ts'

interface Figure {
  /** The last part of a field's name, in lower case without separators. */
  readonly names: RegExp
  /** A share of one, such as 0.48, which is shown in percent. */
  readonly isShare?: true
}

const FIGURES: Readonly<Record<FundamentalId, Figure>> = {
  marketCap: { names: /^market(cap(italization)?|value)$/ },
  priceToEarnings: { names: /^(pe(ratio)?|pricetoearnings(ratio)?|priceearnings(ratio)?)(ttm)?$/ },
  priceToBook: { names: /^(pb(ratio)?|pricetobook(ratio)?)(ttm)?$/ },
  earningsPerShare: { names: /^(eps(diluted)?|earningspershare(diluted)?|netincomepershare)(ttm)?$/ },
  dividendYield: { names: /^dividendyield(ttm)?$/, isShare: true },
  netMargin: { names: /^net(profit|income)?margin(ttm)?$/, isShare: true },
  returnOnEquity: { names: /^(roe|returnonequity)(ttm)?$/, isShare: true },
  debtToEquity: { names: /^(debtequity|debttoequity|debtequityratio|debttoequityratio)(ttm)?$/ },
}

/** The endpoints whose responses have these figures. For each figure, the first endpoint that has it counts. */
export const FUNDAMENTAL_ENDPOINTS = [
  'metrics',
  'ratios-ttm',
  'multiples',
  'income-statement',
  'kpis',
  'profile',
  'enterprise-value',
  'ratios',
] as const

/** Shares above this must be percents, because no margin or return is 500 %. */
const LARGEST_SHARE = 5

const plain = (key: string): string =>
  key
    .slice(key.lastIndexOf('.') + 1)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')

/** The figures in a response: facts, or else the first record of a table, which is the newest. */
export function fundamentalsIn(text: string): MetricValues {
  const { facts, tables } = readResponse(text)
  const fields = [
    ...facts.flatMap(({ entries }) =>
      entries.map(({ key, type, value }) => ({ name: plain(key), type, value: numberOf(value) })),
    ),
    ...tables.flatMap((table) =>
      table.rows === 0
        ? []
        : table.columns.map(({ key, type }, at) => ({ name: plain(key), type, value: numberOf(table.cell(0, at)) })),
    ),
  ]
  const found: Partial<Record<FundamentalId, number>> = {}
  for (const id of Object.keys(FIGURES) as FundamentalId[]) {
    const { names, isShare = false } = FIGURES[id]
    const field = fields.find((one) => names.test(one.name) && Number.isFinite(one.value))
    if (field === undefined) continue
    const isPercent = !isShare || field.type === 'percent' || Math.abs(field.value) > LARGEST_SHARE
    found[id] = isPercent ? field.value : field.value * 100
  }
  return found
}
