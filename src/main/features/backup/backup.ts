/**
 * A backup is a folder with the store as of one instant, the saved REST responses, the user's own files, and a list of
 * sizes and hashes. It can be made while recording: it holds everything that was committed when it began.
 */
import Database from 'better-sqlite3'
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, lstatSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as v from 'valibot'
import { CodedError } from '../../../shared/base/errors.ts'
import { diskError, syncFile, systemDisk, type Disk } from './disk.ts'
import { beginDraft } from './drafts.ts'
import type { LockStore } from './restore-note.ts'
import { STORE_NAME } from './store-name.ts'

/** The list of a backup's files. `name` may have one folder: "drawings/x.json", "journal/notes.json". */
const listSchema = v.strictObject({
  format: v.literal(1),
  /** UTC ms. */
  madeMs: v.number(),
  version: v.string(),
  files: v.pipe(
    v.array(
      v.strictObject({
        name: v.pipe(v.string(), v.regex(/^(?:(?:drawings|journal)\/)?[A-Za-z0-9][A-Za-z0-9._%-]{0,200}$/)),
        bytes: v.pipe(v.number(), v.integer(), v.minValue(0)),
        sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
      }),
    ),
    v.minLength(1),
    v.maxLength(20_000),
  ),
})
export type BackupList = v.InferOutput<typeof listSchema>

export const LIST_FILE = 'backup.json'
const ANSWERS_NAME = 'research.db'
/**
 * Files that apply to this computer only: not backed up, and not restored. Two hold secrets, and one says what program an
 * alert runs, which a backup from elsewhere must not change.
 */
const LOCAL_FILES = new Set(['window.json', 'api.json', 'credentials.json', 'alert-actions.json'])

export const isLocalFile = (name: string): boolean => LOCAL_FILES.has(name.toLowerCase())

export interface BackupOptions {
  readonly store: string
  /** The app's own folder. */
  readonly dataDir: string
  /** The folder to create; it must not exist yet. */
  readonly out: string
  readonly nowMs: number
  readonly version: string
  /** Locks the draft, so that no other process deletes it as a leftover. */
  readonly lock: LockStore
  /** Called with the name of each part before it is copied. */
  readonly onPart?: (name: string) => void
  readonly disk?: Disk | undefined
}

/** Copies a database as of one instant to a new file. Writers can continue during the copy. */
function copyDatabase(from: string, to: string): void {
  const db = new Database(from, { readonly: true, fileMustExist: true, timeout: 10_000 })
  try {
    db.prepare('VACUUM INTO ?').run(to)
  } finally {
    db.close()
  }
  syncFile(to)
}

/** The folders of the user's own files, in which a backup has them, too. */
const OWN_FOLDERS = ['drawings', 'journal'] as const

/** The user's own small files: settings, workspaces, alerts, drawings, notes with their pictures. */
function ownFiles(dataDir: string): string[] {
  const below = (folder: string, prefix: string): string[] =>
    existsSync(folder)
      ? readdirSync(folder)
          .filter(
            (name) =>
              /^[A-Za-z0-9][A-Za-z0-9._%-]*\.(json|png|jpg)$/.test(name) && lstatSync(join(folder, name)).isFile(),
          )
          .map((name) => prefix + name)
      : []
  return [
    ...below(dataDir, '').filter((name) => name.endsWith('.json') && !isLocalFile(name)),
    ...OWN_FOLDERS.flatMap((folder) => below(join(dataDir, folder), `${folder}/`)),
  ].sort()
}

export async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(file)) hash.update(piece as Buffer) // Without an encoding, the stream yields buffers.
  return hash.digest('hex')
}

/**
 * Makes a backup. The folder gets its name only once the backup is complete. Throws `not-found` without a store,
 * `bad-arguments` if the name is taken, or a disk error.
 */
export async function makeBackup(options: BackupOptions): Promise<BackupList> {
  const { store, dataDir, out, nowMs, version, lock, onPart, disk = systemDisk } = options
  if (!existsSync(store)) {
    throw new CodedError('not-found', `There is no store at ${store}.`, { hint: 'Record something first.' })
  }
  if (existsSync(out)) {
    throw new CodedError('usage', `${out} already exists.`, { hint: 'Choose a folder that doesn’t exist yet.' })
  }
  const draft = beginDraft(out, dataDir, lock, disk)
  try {
    const names: string[] = []
    const add = async (name: string, fill: (to: string) => void | Promise<void>): Promise<void> => {
      onPart?.(name)
      await fill(join(draft.folder, name))
      names.push(name)
    }
    const own = ownFiles(dataDir)
    // Older versions expect a folder of drawings.
    const folders = OWN_FOLDERS.filter(
      (folder) => folder === 'drawings' || own.some((name) => name.startsWith(`${folder}/`)),
    )
    for (const folder of folders) disk.makeFolder(join(draft.folder, folder))
    await add(STORE_NAME, (to) => copyDatabase(store, to))
    const answers = join(dataDir, ANSWERS_NAME)
    if (existsSync(answers)) await add(ANSWERS_NAME, (to) => copyDatabase(answers, to))
    for (const name of own) await add(name, (to) => disk.copy(join(dataDir, name), to))
    const files: BackupList['files'] = []
    for (const name of names) {
      const path = join(draft.folder, name)
      files.push({ name, bytes: lstatSync(path).size, sha256: await sha256(path) })
    }
    const list: BackupList = { format: 1, madeMs: nowMs, version, files }
    for (const folder of folders) disk.syncFolder(join(draft.folder, folder))
    disk.write(join(draft.folder, LIST_FILE), `${JSON.stringify(list, null, 2)}\n`)
    draft.finish()
    return list
  } catch (thrown) {
    draft.drop()
    throw diskError(thrown, 'The backup', dirname(out))
  }
}

/** Parses and checks the list of a backup. Throws `bad-arguments` if the folder isn't a backup. */
export function parseList(text: string): BackupList {
  try {
    return v.parse(listSchema, JSON.parse(text))
  } catch (thrown) {
    throw new CodedError('bad-arguments', 'This folder doesn’t contain a readable Tapedeck backup.', {
      hint: 'Choose the folder that "tapedeck backup" created; it contains backup.json.',
      cause: thrown,
    })
  }
}
