import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endpointPath, ENDPOINTS, type FieldType } from '../../../src/service/endpoints.ts'
import type { Simulator } from '../../../src/simulator/simulator.ts'
import { start } from './client.ts'

let simulator: Simulator
beforeAll(async () => {
  simulator = await start({ market: { kind: 'none' }, comingSoon: [] })
})
afterAll(() => simulator.close())

const get = (path: string, key = simulator.apiKey) =>
  fetch(simulator.baseUrl + path, { headers: { authorization: `Bearer ${key}` } })

const fits: Record<FieldType, (value: unknown) => boolean> = {
  text: (v) => typeof v === 'string' && v !== '',
  integer: (v) => Number.isInteger(v),
  number: (v) => typeof v === 'number',
  fraction: (v) => typeof v === 'number' && Math.abs(v) < 100,
  date: (v) => typeof v === 'string' && /^\d{4}-\d\d-\d\d$/.test(v),
  instant: (v) => typeof v === 'string' && new Date(v).toISOString() === v,
}
const at = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((v, key) => (v as Record<string, unknown>)[key], value)

describe('the thirty-nine endpoints', () => {
  it('are thirty-nine', () => expect(ENDPOINTS).toHaveLength(39))

  it.each(ENDPOINTS.flatMap((e) => ['AAPL', 'KO'].map((s) => [e.id, s, e] as const)))(
    '%s answers for %s',
    async (_, symbol, endpoint) => {
      const path = endpointPath(endpoint, endpoint.id === 'commodity-history' ? 'XAU' : symbol)
      const response = await get(path)
      expect(response.status).toBe(200)
      const body: unknown = await response.json()
      expect(Object.keys(body as object)).toEqual(['status', 'data', 'metadata'])
      expect(JSON.stringify(body)).not.toContain('NaN')
      if (endpoint.response.known === 'nothing') return
      for (const field of endpoint.response.fields)
        expect([field.path, fits[field.type](at(body, field.path))]).toEqual([field.path, true])
    },
  )
  it('want the API key', async () => {
    expect((await get('/news', 'wrong')).status).toBe(401)
    expect((await fetch(`${simulator.baseUrl}/news`)).status).toBe(401)
  })
  it('answer 404 for paths that no row has, and for records that are not', async () => {
    for (const path of ['/nothing', '/fundamentals/AAPL/nothing', '/commodities/NOPE/historical'])
      expect((await get(path)).status).toBe(404)
  })
  it('are read with GET only', async () => {
    expect((await fetch(`${simulator.baseUrl}/news`, { method: 'POST' })).status).toBe(405)
  })
  it('can be coming soon', async () => {
    const soon = await start({ market: { kind: 'none' }, comingSoon: ['news'] })
    const ask = (path: string) => fetch(soon.baseUrl + path, { headers: { authorization: `Bearer ${soon.apiKey}` } })
    const response = await ask('/news')
    expect(response.status).toBe(404)
    expect(await response.text()).toContain('coming soon')
    expect((await ask('/commodities/metals')).status).toBe(200)
    await soon.close()
  })
  it("gives Apple's filed figures", async () => {
    const body: unknown = await (await get('/fundamentals/AAPL/income-statement?fiscal_year=2024&quarter=Q4')).json()
    expect(at(body, 'data.income_statement')).toMatchObject({
      revenue: 94_930_000_000,
      net_income: 14_736_000_000,
    })
    const annual: unknown = await (
      await get('/fundamentals/AAPL/income-statement?period=annual&fiscal_year=2024')
    ).json()
    expect(at(annual, 'data')).toMatchObject({
      quarter: 'FY',
      period_ending: '2024-09-28',
      income_statement: { revenue: 391_035_000_000, eps_diluted: 6.08 },
      growth_rates: { revenue_growth_yoy: 0.0202 },
    })
  })
})
