import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream'
import type { Kvm } from '@nats-io/kv'
import type { NatsConnection } from '@nats-io/transport-node'
import { expect, it } from 'vitest'
import { readTeamName, type TeamName } from '../../../../../../src/main/features/team/names.ts'
import { NatsTeamLog } from '../../../../../../src/main/features/team/nats/nats-team-log.ts'
import { Refusals } from '../../../../../../src/main/features/team/nats/refusals.ts'
import { numberedId } from '../follow/world.ts'

/** A log whose server answers a publish like this, and has messages with these ids. */
function logThat(publish: () => Promise<unknown>, stored: ReadonlyMap<number, string> = new Map()): NatsTeamLog {
  return new NatsTeamLog({
    team: readTeamName('eu') as TeamName, // it is a name
    connection: {
      getServer: () => 'n1',
      closed: () => new Promise(() => undefined),
      status: () => [],
    } as unknown as NatsConnection, // what it uses of it here
    manager: {
      streams: {
        getMessage: (_: string, { seq }: { seq: number }) => {
          const id = stored.get(seq)
          if (id !== undefined) return Promise.resolve({ seq, header: new Map([['Nats-Msg-Id', id]]) })
          return Promise.reject(Object.assign(new Error('no message found'), { code: 10037 }))
        },
      },
    } as unknown as JetStreamManager, // what it uses of it here
    client: { publish } as unknown as JetStreamClient, // what it uses of it here
    buckets: {} as Kvm, // not used here
    refusals: new Refusals(['n1']),
  })
}

const publishTo = (log: NatsTeamLog) => log.publish(1, numberedId(1), new Uint8Array(1), 7, 'id')

it('takes a message for stored that the server has, and gives its sequence', async () => {
  const known = logThat(() => Promise.resolve({ stream: 'TD_eu_1', seq: 8, duplicate: true }), new Map([[8, 'id']]))
  expect(await publishTo(known)).toEqual({ is: 'stored', sequence: 8 })
})

it.each([
  ['before 2.11', () => Promise.resolve({ stream: 'TD_eu_1', seq: 0, duplicate: true })],
  ['that has forgotten what it stored', () => Promise.resolve({ stream: 'TD_eu_1', seq: 6, duplicate: true })],
  ['that has another message there', () => Promise.resolve({ stream: 'TD_eu_1', seq: 8, duplicate: true })],
  ['newer', () => Promise.reject(Object.assign(new Error('duplicate message id is in process'), { code: 10158 }))],
])('doesn’t believe a server %s that knows a message and hasn’t stored it', async (_, publish) => {
  await expect(publishTo(logThat(publish, new Map([[8, 'other']])))).rejects.toMatchObject({
    code: 'server-error',
    message: 'The NATS server hasn’t stored a frame in the stream TD_eu_1 that it already knows.',
  })
})
