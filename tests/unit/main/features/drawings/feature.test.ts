import { expect, it } from 'vitest'
import { drawingResponders } from '../../../../../src/main/features/drawings/feature.ts'
import type { Drawings } from '../../../../../src/main/features/drawings/port.ts'
import { dispatchCall, handlersOf } from '../../../../../src/main/rpc/dispatch.ts'
import { DRAWING_MARKETS, type DrawingMarket } from '../../../../../src/shared/features/drawings/types.ts'

it('asks and changes the drawings of the market that was named, and of no other', async () => {
  const asked: string[] = []
  const of = (market: DrawingMarket): Drawings => ({
    get: (instrument) => {
      asked.push(`get ${market}`)
      return { instrument, revision: 0, drawings: [] }
    },
    edit: (instrument) => {
      asked.push(`edit ${market}`)
      return { instrument, revision: 1, drawings: [] }
    },
    onChange: () => () => undefined,
  })
  const handlers = handlersOf(drawingResponders({ demo: of('demo'), service: of('service') }))
  const instrument = 'crypto:BTCUSD'
  const edit = { put: [], remove: ['a'], order: null }
  for (const market of DRAWING_MARKETS) {
    expect(await dispatchCall(handlers, 'drawings.get', { market, instrument })).toMatchObject({ ok: true })
    expect(await dispatchCall(handlers, 'drawings.edit', { market, instrument, edit })).toMatchObject({ ok: true })
  }
  expect(asked).toEqual(DRAWING_MARKETS.flatMap((market) => [`get ${market}`, `edit ${market}`]))
})
