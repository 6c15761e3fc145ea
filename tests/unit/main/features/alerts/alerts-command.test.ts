/** `tapedeck alerts --test`: tests alerts as the window does. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runCommandLine } from '../../../../../src/main/hosts/cli/run.ts'
import { writeAlerts } from '../../../../../src/main/features/alerts/alert-format.ts'
import { alertFiles } from '../../../../../src/main/features/alerts/files.ts'
import { drawingsFolder } from '../../../../../src/main/features/drawings/drawings-file.ts'
import { drawingsFile, writeDrawings } from '../../../../../src/shared/features/drawings/document.ts'
import { tradeText } from '../../../../kit/market.ts'
import { alertOf, levelAt } from '../../../shared/features/alerts/harness.ts'
import { T0 } from '../../core/store/harness.ts'
import { commandContext } from '../../hosts/cli/context.ts'
import { recorded } from '../export/recorded.ts'

it('takes the drawings of the session’s market, whichever market the alert watches', async () => {
  const prices = [99, 101, 103, 105]
  const store = await recorded([
    prices.map((price, i) => ({ conn: 1, data: tradeText('BTC-USD', price, 1, T0 + i), recvMs: T0 + i })),
  ])
  const alert = alertOf({ is: 'drawing', of: 'last', drawing: 'd', direction: 'up' }, { market: 'service' })
  await alertFiles(store.path).save('alerts', writeAlerts([alert]))
  for (const [market, price] of [
    ['demo', 102],
    ['service', 1_000],
  ] as const) {
    const text = writeDrawings(alert.instrument, [levelAt(price)], market)
    drawingsFolder(join(store.path, 'drawings'), market).save(drawingsFile(alert.instrument), text)
  }
  const context = commandContext({ dataDir: store.path })
  const code = await runCommandLine(['alerts', '--home', store.path, '--test', 'latest', '--json'], context)
  expect([code, context.errors()]).toEqual([0, ''])
  expect(JSON.parse(context.output())).toMatchObject({ alert: alert.id, fired: 1 })
  await store.close()
})
