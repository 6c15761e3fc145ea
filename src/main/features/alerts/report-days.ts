/** The days on which a company reports, from its calendar. */
import { readResponse } from '../../../shared/features/research/read.ts'
import { reportsOf, reportTable } from '../../../shared/features/research/reports.ts'
import type { ResearchSettings } from '../../../shared/features/research/settings.ts'
import type { Research } from '../research/research.ts'

const ENDPOINT = 'company-earnings-calendar'

/**
 * UTC ms of 00:00 of each day, or null if no readable response was ever received. Sends a request when the cached one
 * is old.
 */
export async function reportDays(
  research: Pick<Research, 'get'>,
  symbol: string,
  params: ResearchSettings['params'],
): Promise<readonly number[] | null> {
  const { response } = await research.get({
    view: 'live',
    endpoint: ENDPOINT,
    symbol,
    params: params[ENDPOINT] ?? {},
    mode: 'fresh',
    ticket: `alerts ${symbol}`,
  })
  if (response === null) return null
  const table = reportTable(readResponse(response.text))
  if (table === undefined) return null
  return reportsOf(table).map(({ day }) => Date.parse(`${day}T00:00:00Z`))
}
