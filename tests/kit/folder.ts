/** Temporary folders of a test file. */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { FOLDERS } from './quick-disk.ts'
import { atEnd } from './at-end.ts'

const made: string[] = []

/**
 * Makes an empty folder and returns its real path, without links. It is removed after the last test of the file, behind
 * the file's own `afterAll`.
 */
export function makeFolder(name = 'test'): string {
  const path = mkdtempSync(join(FOLDERS, `tapedeck-${name}-`))
  made.push(path)
  return path
}

/** The path of a store in an empty folder. `remove` removes the folder before the end of the file. */
export function makeStoreFolder(): { readonly path: string; readonly file: string; remove(): void } {
  const path = makeFolder('store')
  return { path, file: join(path, 'tapedeck.db'), remove: () => rmSync(path, { recursive: true, force: true }) }
}

atEnd(() => {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true })
})
