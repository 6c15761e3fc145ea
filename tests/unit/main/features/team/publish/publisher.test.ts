/** A publisher on a log that is in memory. */
import { expect, it } from 'vitest'
import { Publisher } from '../../../../../../src/main/features/team/publish/publisher.ts'
import type { TeamLog } from '../../../../../../src/main/features/team/nats/team-log.ts'
import { CodedError } from '../../../../../../src/shared/base/errors.ts'
import { manualClock } from '../../../../../kit/clock.ts'
import { T0 } from '../../../core/store/harness.ts'
import { settle } from '../follow/world.ts'

/** A publisher without sessions, and the making of its buckets. */
function start() {
  const made: PromiseWithResolvers<void>[] = []
  const log = {
    onState: () => () => undefined,
    close: () => Promise.resolve(),
    ensureBuckets: () => {
      const making = Promise.withResolvers<void>()
      made.push(making)
      return making.promise
    },
  } as unknown as TeamLog // what it uses of it here
  let prepared = 0
  const clock = manualClock(T0)
  const none = (): never => {
    throw new TypeError('there is no session')
  }
  const publisher = new Publisher({
    connect: () => Promise.resolve(log),
    reader: { flushes: none, ledger: none },
    clock,
    key: null,
    describe: none,
    onPrepared: () => void prepared++,
    onFinished: none,
    onErased: none,
    onTrouble: () => undefined,
    onGivenUp: none,
  })
  publisher.start()
  return { publisher, made, clock, prepared: () => prepared }
}

it('makes buckets again that were missed while they were made', async () => {
  const { publisher, made, prepared } = start()
  await settle()
  publisher.prepareAgain()
  made[0].resolve()
  await settle()
  expect([made.length, prepared()]).toEqual([2, 0])
  made[1].resolve()
  await settle()
  expect([made.length, prepared()]).toEqual([2, 1])
  await publisher.close()
})

it('makes buckets again that couldn’t be made', async () => {
  const { publisher, made, clock, prepared } = start()
  await settle()
  made[0].reject(new CodedError('timeout', 'Nobody replied.'))
  await settle()
  await clock.pass(250)
  await settle()
  made[1].resolve()
  await settle()
  expect([made.length, prepared()]).toEqual([2, 1])
  await publisher.close()
})
