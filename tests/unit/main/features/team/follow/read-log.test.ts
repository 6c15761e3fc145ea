/** Reading a session from a log that isn't the one that it was read from before. */
import { expect, it } from 'vitest'
import { readLog } from '../../../../../../src/main/features/team/follow/read-log.ts'
import type { LogStart } from '../../../../../../src/main/features/team/nats/team-log.ts'
import { MemoryLog, Recorder, settle } from './world.ts'
import { trades } from '../frame/flushes.ts'

it('starts at the beginning of a stream that was made again, and counts from 1', async () => {
  const log = new MemoryLog()
  const recorder = new Recorder(log, 1)
  for (let i = 0; i < 3; i++) recorder.record(trades(2))
  const { session } = recorder.info
  const reading = async (from: LogStart): Promise<readonly number[]> => {
    const sequences: number[] = []
    const { signal } = new AbortController()
    for await (const { sequence } of readLog(log, { shard: 1, session, fromSeq: 3, from, signal }))
      sequences.push(sequence)
    return sequences
  }
  let found: readonly number[] | null = null
  // The stream of before had got to 5000: a consumer from there on waits for what comes.
  void reading({ sequence: 5_000 }).then((sequences) => (found = sequences))
  await settle()
  expect(found).toEqual([2, 3])
  expect(await reading({ sequence: 2 })).toEqual([2, 3])
})
