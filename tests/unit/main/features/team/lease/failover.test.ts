/** The short form of a takeover with the real program; `npm run soak -- team-failover` is the long one. */
import { expect, it } from 'vitest'
import { failOver } from '../../../../../loss/team-failover.ts'
import { makeFolder } from '../../../../../kit/folder.ts'
import { hasNatsServer, startNatsServer } from '../../../../../kit/nats-server.ts'

it.skipIf(!hasNatsServer)(
  'a takeover loses and doubles nothing, also while a clock is set [needs nats-server]',
  async () => {
    const nats = await startNatsServer()
    const seen = await failOver({ folder: makeFolder('failover'), nats, rounds: 1, calmMs: 2_000 })
    expect(seen).toMatch(/[1-9]\d* messages, each in the terminal once; [1-9]\d* gaps/)
  },
  600_000,
)
