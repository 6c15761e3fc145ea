/** Headings of the keys in responses: a table of those that no rule can split, and the rule for all others. Pure. */
import { t } from '../../base/text.ts'

/** Words written in capitals. */
const CAPITALS = [
  ...['adr', 'adx', 'cagr', 'ceo', 'cfo', 'cik', 'cusip', 'dcf', 'ebit', 'ebitda', 'ebt', 'eps', 'etf', 'ev', 'fcf'],
  ...[
    'gaap',
    'id',
    'ipo',
    'isin',
    'kpi',
    'ltm',
    'macd',
    'nav',
    'pe',
    'peg',
    'roa',
    'roce',
    'roe',
    'roic',
    'rsi',
    'sga',
  ],
  ...['sma', 'ttm', 'url', 'usd', 'wacc', 'yoy'],
]
const ABBREVIATIONS: ReadonlySet<string> = new Set(CAPITALS)
/** An abbreviation joined to the word after it: "ebitgrowth", "peratio". */
const JOINED = new RegExp(`^(${CAPITALS.join('|')})(growth|margin|ratio|yield|basic|diluted|expenses?)$`)

/** Titles by key in lower case without separators, so that one entry serves every way of writing a key. */
const TITLES: ReadonlyMap<string, string> = new Map([
  ['isadr', t('ADR')],
  ['isetf', t('ETF')],
  ['isfund', t('Fund')],
  ['isactivelytrading', t('Actively trading')],
  ['defaultimage', t('Placeholder logo')],
  ['zip', t('ZIP code')],
  ['bookvaluepersharegrowth', t('Book value per share growth')],
  ['epsdilutedgrowth', t('EPS growth, diluted')],
  ['weightedaveragesharesdilutedgrowth', t('Weighted average shares growth, diluted')],
  ['rdexpensegrowth', t('R&D expense growth')],
  ['sgaexpensesgrowth', t('SG&A expense growth')],
  ['growthcapitalexpenditure', t('Capital expenditure growth')],
  ['researchanddevelopementtorevenue', t('Research and development to revenue')],
  ...(
    [
      ['revenue', t('Revenue')],
      ['operatingcf', t('Operating cash flow')],
      ['netincome', t('Net income')],
      ['bottomlinenetincome', t('Bottom-line net income')],
      ['shareholdersequity', t('Shareholders’ equity')],
      ['dividendpershare', t('Dividends')],
    ] as const
  ).flatMap(([key, amount]) =>
    (
      [
        ['ten', 10],
        ['five', 5],
        ['three', 3],
      ] as const
    ).map(
      ([word, years]) =>
        [`${word}y${key}growthpershare`, t('{amount} per share, {years}-year growth', { amount, years })] as const,
    ),
  ),
])

/** A key as a heading: `net_income` and `netIncome` become "Net income", abbreviations are in capitals. */
export function titleOf(key: string): string {
  const known = TITLES.get(key.replace(/[_\-\s]+/g, '').toLowerCase())
  if (known !== undefined) return known
  const words = key
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .replace(/[_\-.]+/g, ' ')
    .trim()
    .split(/\s+/)
    .flatMap((word) => JOINED.exec(word.toLowerCase())?.slice(1) ?? [word])
    .map((word) =>
      ABBREVIATIONS.has(word.toLowerCase()) || /^[A-Z\d]{2,}$/.test(word) ? word.toUpperCase() : word.toLowerCase(),
    )
  const text = words.join(' ')
  return text === '' ? key : text[0].toUpperCase() + text.slice(1)
}
