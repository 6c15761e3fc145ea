/** The days on which a company reports, out of what its calendar answered. */
import { readAnswer } from '../../../shared/features/research/read.ts'
import { reportsOf, reportTable } from '../../../shared/features/research/reports.ts'
import type { ResearchSettings } from '../../../shared/features/research/settings.ts'
import type { Research } from '../research/research.ts'

const ENDPOINT = 'company-earnings-calendar'

/** UTC ms of 00:00 of each day; null: nothing that can be read was ever answered. Costs a call when it is old. */
export async function reportDays(
  research: Pick<Research, 'get'>,
  symbol: string,
  params: ResearchSettings['params'],
): Promise<readonly number[] | null> {
  const { answer } = await research.get({
    view: 'live',
    endpoint: ENDPOINT,
    symbol,
    params: params[ENDPOINT] ?? {},
    mode: 'fresh',
    ticket: `alerts ${symbol}`,
  })
  if (answer === null) return null
  const table = reportTable(readAnswer(answer.text))
  if (table === undefined) return null
  return reportsOf(table).map(({ day }) => Date.parse(`${day}T00:00:00Z`))
}
