/** Saves the day's request count in a small file, so that it survives a restart. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from '../../base/make-folder.ts'
import type { CallCount } from './budget.ts'

/**
 * Loads and saves the count. A missing or corrupt file counts as zero, and write errors are ignored, because the budget
 * is the user's own limit, not the service's.
 */
export function fileCount(file: string): { load(): CallCount; save(count: CallCount): void } {
  return {
    load() {
      try {
        const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
        if (typeof value === 'object' && value !== null && 'dayMs' in value && 'used' in value) {
          const { dayMs, used } = value
          if (Number.isSafeInteger(dayMs) && Number.isSafeInteger(used)) {
            return { dayMs: Number(dayMs), used: Math.max(0, Number(used)) }
          }
        }
      } catch {
        // Missing or corrupt file: see above.
      }
      return { dayMs: 0, used: 0 }
    },
    save(count) {
      try {
        makeFolder(dirname(file))
        writeFileSync(`${file}.part`, JSON.stringify(count))
        renameSync(`${file}.part`, file)
      } catch {
        // Ignored: see above.
      }
    },
  }
}
