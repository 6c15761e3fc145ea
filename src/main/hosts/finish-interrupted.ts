/**
 * Finishes or undoes what a killed Tapedeck left half done on the disk: exports, imports, backups, restores, moves of
 * the store.
 */
import { existsSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { toFailure } from '../../shared/base/errors.ts'
import { removeUnfinishedFiles } from '../core/jobs/unfinished-files.ts'
import { removeLeftDrafts } from '../features/backup/drafts.ts'
import { pointedStore, restorePointer, settleRestore } from '../features/backup/restore-note.ts'
import { settleMove } from '../features/move-store/move-note.ts'
import { defaultStorePath } from '../core/settings/paths.ts'
import { createSettingsStore, settingsFile } from '../core/settings/settings.ts'
import { lockStore } from '../core/store/schema/lock.ts'
import { realStorePath } from '../core/store/schema/store-path.ts'

/**
 * Call before settings or store are read. `store`: the one about to be opened; null: the app's own. Returns what was
 * done, a sentence each. Throws `store-locked` while a restore is running, and what the disk says.
 */
export function settleUnfinished(dataDir: string, store: string | null): string[] {
  const said = [...removeUnfinishedFiles(dataDir), ...removeLeftDrafts(dataDir, lockStore)]
  const add = (sentence: string | null): void => void (sentence !== null && said.push(sentence))
  const pointed = pointedStore(dataDir)
  if (pointed !== null && existsSync(dirname(pointed))) {
    add(settleRestore(pointed, realStorePath, lockStore))
    rmSync(restorePointer(dataDir), { force: true })
  }
  if (store !== null && resolve(store) !== pointed) add(settleRestore(store, realStorePath, lockStore))
  const own = (): string =>
    realStorePath(createSettingsStore(settingsFile(dataDir)).get().recording.storePath || defaultStorePath(dataDir))
  add(settleMove(dataDir, own, lockStore, realStorePath))
  return said
}

/** Finishes an interrupted restore of a store that is about to be opened; returns what it did, in a sentence. */
export const settleStore = (file: string): string | null => settleRestore(file, realStorePath, lockStore)

/** The same for a terminal, which starts in any case: a restore that can't be finished yet is a sentence, too. */
export function settleAtStart(dataDir: string, store: string | null): string[] {
  try {
    return settleUnfinished(dataDir, store)
  } catch (thrown) {
    const { message, hint = '' } = toFailure(thrown)
    return [`${message} ${hint}`.trim()]
  }
}
