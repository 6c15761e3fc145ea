import { expect, it } from 'vitest'
import { unixMs } from '../../../../src/shared/units.ts'
import { createStatus } from '../../../../src/main/terminal/status.ts'

const DAY = 86_400_000

it('counts the gaps of the day, without the ordinary edges of recordings', () => {
  let nowMs = 20_000 * DAY + 1
  const status = createStatus({
    wallMs: () => unixMs(nowMs),
    feeds: () => [],
    recorder: {
      state: () => ({ is: 'off' }),
      stats: () => ({
        received: 0,
        stored: 0,
        lost: 0,
        perSecond: 0,
        backlogBytes: 0,
        receiveToStored: null,
        storeBytes: 0,
        freeBytes: 0,
        feeds: [],
      }),
    },
    trouble: () => null,
    source: () => ({ kind: 'demo', origin: '' }),
    storePath: () => '',
    skew: { ms: null },
    growth: { bytesPerHour: null, sized: () => undefined },
  })
  status.gapsBefore([{ cause: 'connect' }, { cause: 'crash' }, { cause: 'quit' }])
  status.gapOpened('connect')
  expect(status.read().gapsToday).toBe(1)
  status.gapOpened('drop')
  status.gapOpened('quit')
  expect(status.read().gapsToday).toBe(2)
  nowMs += DAY
  expect(status.read().gapsToday).toBe(0)
})
