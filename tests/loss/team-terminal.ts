/**
 * Terminals of a team that sleep, that are slow, and whose servers go away while a recorder receives: each ends with
 * what a terminal has that was there all the time.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { recordSession } from '../../benchmarks/team-recorder.ts'
import { startReceivers, type Receivers } from '../../benchmarks/team-terminals.ts'
import { connectTeam } from '../../src/main/features/team/nats/connect.ts'
import { readNatsTarget } from '../../src/main/features/team/nats/target.ts'
import type { NatsServer } from '../kit/nats-server.ts'
import { EU } from '../kit/team-recorder.ts'

const RATE = 1_000
const WITHIN_MS = 180_000

export interface TerminalFaults {
  readonly folder: string
  readonly nats: NatsServer
  /** How long one terminal sleeps, and how long NATS is away afterwards, s. */
  readonly asleep: number
  readonly away: number
  readonly say?: (text: string) => void
}

/** Returns what was seen. Throws at the first difference. */
export async function disturbTerminals(options: TerminalFaults): Promise<string> {
  const { folder, nats, asleep, away, say = () => {} } = options
  const log = await connectTeam({ target: readNatsTarget(nats.url, {}, {}), team: EU, name: 'check', allowOld: true })
  await log.ensureBuckets(1)
  await log.ensureShard(1, 1)
  await log.close()
  const start = (name: string): Promise<Receivers> => {
    const own = join(folder, name)
    mkdirSync(own)
    return startReceivers({
      kind: 'terminals',
      hasStore: true,
      count: 1,
      servers: nats.url,
      team: EU,
      folder: own,
      warmUp: 0,
    })
  }
  const terminals = { present: await start('present'), sleeper: await start('sleeper'), slow: await start('slow') }
  try {
    const messages = (asleep + away + 15) * RATE
    const recording = recordSession({ servers: nats.url, team: EU, folder, messages, rate: RATE, warmUp: 0 })
    let isOver = false
    const slowing = slowDown(terminals.slow, () => isOver)
    await sleep(2_000)
    terminals.sleeper.signal('SIGSTOP')
    await sleep(asleep * 1_000)
    terminals.sleeper.signal('SIGCONT')
    say(`awake after ${asleep} s`)
    await nats.kill()
    await sleep(away * 1_000)
    await nats.start()
    say(`NATS is back after ${away} s`)
    const recorder = await recording
    isOver = true
    await slowing
    for (const [name, terminal] of Object.entries(terminals)) {
      const deadline = Date.now() + WITHIN_MS
      for (;;) {
        const [one] = (await terminal.report()).received
        if (one.isComplete) {
          if (JSON.stringify(sorted(one.heads)) !== JSON.stringify(sorted(recorder.heads)))
            throw new Error(`the terminal ${name} has other heads than the recorder`)
          break
        }
        if (Date.now() > deadline)
          throw new Error(`the terminal ${name} has stored seq ${one.storedSeq}, and ${messages} messages were sent`)
        await sleep(100)
      }
    }
    return `one terminal asleep for ${asleep} s, one slow, NATS away for ${away} s: ${messages} messages, all three stores with the recorder's heads and close record`
  } finally {
    await Promise.all(Object.values(terminals).map((terminal) => terminal.close()))
  }
}

/** Lets it run for a tenth of the time. */
async function slowDown(terminal: Receivers, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    terminal.signal('SIGSTOP')
    await sleep(450)
    terminal.signal('SIGCONT')
    await sleep(50)
  }
}

const sorted = (heads: Readonly<Record<string, string>>): [string, string][] =>
  Object.entries(heads).sort(([a], [b]) => Number(a) - Number(b))
