import { expect, it } from 'vitest'
import type { FeedCounts, Source } from '../../../../../src/shared/core/recording/session.ts'
import { unixMs } from '../../../../../src/shared/base/units.ts'
import { createStatus, type Trouble } from '../../../../../src/main/core/recording/status.ts'

const DAY = 86_400_000
const DEMO: Source = { kind: 'demo', origin: 'demo', user: '' }

const statusAt = (
  wallMs: () => number,
  source: () => Source = () => DEMO,
  feeds: () => readonly FeedCounts[] = () => [],
  isSimulated?: () => boolean,
  trouble: Trouble | null = null,
) =>
  createStatus({
    wallMs: () => unixMs(wallMs()),
    feeds: () => [],
    recorder: {
      state: () => ({ is: 'off' }),
      stats: () => ({
        received: 9,
        stored: 9,
        lost: 0,
        perSecond: 0,
        backlogBytes: 0,
        receiveToStored: null,
        storeBytes: 0,
        freeBytes: 0,
        feeds: feeds(),
      }),
    },
    trouble: () => trouble,
    source,
    ...(isSimulated === undefined ? {} : { isSimulated }),
    storePath: () => '',
    skew: { ms: null },
    growth: { bytesPerHour: null, sized: () => undefined },
  })

it('counts the gaps of the day, without the ordinary edges of recordings', () => {
  let nowMs = 20_000 * DAY + 1
  const status = statusAt(() => nowMs)
  status.gapsBefore([{ cause: 'connect' }, { cause: 'crash' }, { cause: 'quit' }])
  status.gapOpened('connect')
  expect(status.read().gapsToday).toBe(1)
  status.gapOpened('drop')
  status.gapOpened('quit')
  expect(status.read().gapsToday).toBe(2)
  nowMs += DAY
  expect(status.read().gapsToday).toBe(0)
})

it('counts what is received while no session could be opened', () => {
  const why = { code: 'store-damaged', message: 'Not readable.', hint: '', closeCode: null } as const
  const trouble = { why, sinceMs: unixMs(0), planned: false, lost: 250 }
  const of = (it: Trouble | null) => statusAt(() => DAY, undefined, undefined, undefined, it).read()
  expect(of(trouble)).toMatchObject({
    received: 250,
    stored: 0,
    recorder: { is: 'broken', lost: 250, start: 'failed' },
  })
  expect(of({ ...trouble, why: { ...why, code: 'disk-full' } }).recorder).toMatchObject({ start: 'retried' })
  expect(of({ ...trouble, planned: true }).recorder).toEqual({ is: 'paused', why, sinceMs: 0, lost: 250 })
  expect(of(null)).toMatchObject({ received: 0, stored: 0 })
})

it('tells by a number that another source came: of another user, too, whose name it does not tell', () => {
  let source = DEMO
  const status = statusAt(
    () => DAY,
    () => source,
  )
  const read = (next: Source) => {
    source = next
    return status.read()
  }
  const ann: Source = { kind: 'service', origin: 'https://data.example.com', user: 'ann' }
  const told = [DEMO, DEMO, ann, { ...ann }, { ...ann, user: 'bob' }, { ...ann, origin: 'https://x' }, DEMO].map(read)
  expect(told.map(({ historyChanges }) => historyChanges)).toEqual([0, 0, 1, 1, 2, 3, 4])
  expect(JSON.stringify(told)).not.toMatch(/ann|bob/)
})

it('says that history is coming only to charts of the demo market, whose history it is', () => {
  let source = DEMO
  const status = statusAt(
    () => DAY,
    () => source,
  )
  status.historyComing(true)
  expect(status.read().historyComing).toBe(true)
  source = { kind: 'service', origin: 'https://data.example.com', user: 'ann' }
  expect(status.read().historyComing).toBeUndefined()
})

it('asks windows to read history again once hours were added behind the present, or recording resumed', () => {
  const status = statusAt(() => DAY)
  expect(status.read().historyChanges).toBe(0)
  status.historyAdded()
  expect([status.read().historyChanges, status.read().historyChanges]).toEqual([1, 1])
  status.recovered(0)
  expect(status.read().historyChanges).toBe(2)
})

it('counts the messages of the open session only, not those of the source before', () => {
  const none = { decoded: 0, control: 0, undecodable: 0, unasked: 0 }
  let counts: readonly FeedCounts[] = []
  const status = statusAt(
    () => DAY,
    () => DEMO,
    () => counts,
  )
  expect(status.read()).toMatchObject({ received: 0, stored: 0 })
  counts = [
    { feed: 'crypto/XT', received: 3, stored: 2, ...none },
    { feed: 'forex/C', received: 4, stored: 4, ...none },
  ]
  expect(status.read()).toMatchObject({ received: 7, stored: 6 })
})

it.each([true, false, undefined])('tells of a simulated market only if it is one: %s', (simulated) => {
  const status = statusAt(
    () => DAY,
    () => DEMO,
    () => [],
    simulated === undefined ? undefined : () => simulated,
  )
  expect(status.read().isSimulated).toBe(simulated === true ? true : undefined)
})
