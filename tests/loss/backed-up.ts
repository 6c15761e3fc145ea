/** The backups that the gap loop's recorder made until it was killed: each is whole or has no name, and the whole ones hold what they must. */
import { existsSync, readdirSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { removeLeftDrafts } from '../../src/main/features/backup/drafts.ts'
import { restoreBackup } from '../../src/main/features/backup/restore.ts'
import { lockStore } from '../../src/main/core/store/schema/lock.ts'
import { openStoreReader } from '../../src/main/core/store/open.ts'
import type { StoreReader } from '../../src/main/core/store/types/reader.ts'
import type { SessionId } from '../../src/shared/base/units.ts'
import { kept, type Killed } from './kill.ts'
import { must } from './stored.ts'

const NAME = /^backup-(\d+)$/
const DRAFT = /^\.backup-\d+\.partial$/

/**
 * Checks the backups beside a store. `each`: what must hold of a restored store. Returns how many were whole, and
 * whether the kill cut one off.
 */
export async function checkBackups(
  file: string,
  { session, backups, backedUp }: Killed,
  where: string,
  each: (reader: StoreReader) => Promise<void>,
): Promise<{ readonly whole: number; readonly isCut: boolean }> {
  const folder = dirname(file)
  const found = readdirSync(folder)
  const named = found.flatMap((name) => NAME.exec(name)?.[1] ?? []).map(Number)
  const isCut = found.some((name) => DRAFT.test(name))
  const gone = backedUp.filter((i) => !named.includes(i))
  must(gone.length === 0, `${where}: backup ${gone.join(', ')} was confirmed and is gone`)
  const last = Math.max(...named)
  for (const i of named) {
    const from = join(folder, `backup-${i}`)
    // The hashes of each are checked by restoring it; what is in it, where that is the most.
    await checkBackup(from, session, `${where}, backup ${i}`, i === last ? each : null, backups.get(i) ?? 0)
  }
  removeLeftDrafts(folder, lockStore)
  const left = readdirSync(folder).filter((name) => DRAFT.test(name))
  must(left.length === 0, `${where}: ${left.join(', ')} stays for ever`)
  for (const i of named) must(existsSync(join(folder, `backup-${i}`)), `${where}: backup ${i} was deleted as a draft`)
  return { whole: named.length, isCut }
}

/** `committedSeq`: what was on disk when it was begun. */
async function checkBackup(
  from: string,
  session: SessionId,
  where: string,
  each: ((reader: StoreReader) => Promise<void>) | null,
  committedSeq: number,
): Promise<void> {
  const dataDir = `${from}-restored`
  const store = join(dataDir, 'tapedeck.db')
  await mkdir(dataDir)
  await restoreBackup({ from, store, dataDir, storePath: '', nowMs: 0, lock: lockStore })
  if (each !== null) {
    const seqs = await kept(store, session)
    const firstWrong = seqs.findIndex((seq, i) => seq !== i + 1)
    must(firstWrong === -1, `${where}: seq ${firstWrong + 1} is missing or there twice`)
    must(
      seqs.length >= committedSeq,
      `${where}: it ends at seq ${seqs.length}, and ${committedSeq} was on disk before it`,
    )
    const reader = await openStoreReader({ file: store })
    try {
      const report = await reader.verify(null)
      must(report.ok, `${where}: verify finds ${JSON.stringify(report.problems.slice(0, 3))}`)
      await each(reader)
    } finally {
      await reader.close()
    }
  }
  await rm(dataDir, { recursive: true })
}
