import { expect, it } from 'vitest'
import { openStoreReader, openStoreWriter } from '../../../../../src/main/core/store/open.ts'
import { unixMs } from '../../../../../src/shared/base/units.ts'
import { kept, killBurst } from '../../../../loss/kill.ts'
import { DEMO } from './harness.ts'
import { makeStoreFolder } from '../../../../kit/folder.ts'

it('keeps everything committed exactly once after kill -9 in a burst, and closes the rest with a gap', async () => {
  const folder = makeStoreFolder()
  for (let i = 0; i < 10; i++) {
    const killed = await killBurst(folder.file, 10 + i * 40)
    const seqs = await kept(folder.file, killed.session)
    expect(seqs).toEqual(seqs.map((_, at) => at + 1))
    expect(seqs.length).toBeGreaterThanOrEqual(killed.committed)
    expect(killed.committed).toBeGreaterThan(0)
  }
  const writer = await openStoreWriter({ file: folder.file })
  await writer.begin(DEMO, unixMs(Date.now()))
  const reader = await openStoreReader({ file: folder.file })
  const sessions = await reader.sessions()
  expect(sessions.slice(0, 10).every((s) => !s.clean && !s.live && s.gaps.length === 2)).toBe(true)
  expect(
    sessions
      .slice(0, 10)
      .flatMap((s) => s.gaps)
      .every((gap) => gap.cause === 'crash' && gap.toMs !== null),
  ).toBe(true)
  expect((await reader.verify(null)).problems).toEqual([])
  await reader.close()
  await writer.close()
  folder.remove()
}, 120_000)
