/** A folder with one file per instrument, each replaced atomically. */
import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { namesNoMarket } from '../../../shared/features/drawings/document.ts'
import type { DrawingMarket } from '../../../shared/features/drawings/types.ts'
import { readWhole, replaceWhole } from '../../base/whole-file.ts'
import type { DrawingsFiles } from './port.ts'
import { messageOf } from '../../../shared/base/errors.ts'

/** Prefix of the demo market's files; a service's files start with their asset class. */
const PREFIXES: Readonly<Record<DrawingMarket, string>> = { demo: 'demo-', service: '' }
const BY_ASSET = /^(?:crypto|forex|stocks)-.*\.json$/

/**
 * Assigns files from before each market had its own drawings to the demo market. Call it only if there was never an
 * account. Never throws; calls `problem` for a file that couldn't be renamed.
 */
export function adoptDemoDrawings(folder: string, problem: (text: string, detail: string) => void): void {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const to = join(folder, `${PREFIXES.demo}${name}`)
    try {
      if (!BY_ASSET.test(name) || existsSync(to) || !namesNoMarket(readFileSync(join(folder, name), 'utf8'))) continue
      renameSync(join(folder, name), to)
    } catch (error) {
      problem(`The drawings in ${name} couldn’t be moved to the demo market.`, messageOf(error))
    }
  }
}

/**
 * The files of a market in a folder, which is created with the first of them. An unreadable file is saved as
 * `<name>.bad`.
 */
export function drawingsFolder(root: string, market: DrawingMarket = 'service'): DrawingsFiles {
  const prefix = PREFIXES[market]
  const at = (name: string): string => join(root, `${prefix}${name}`)
  return {
    load: (name) => readWhole(at(name)),
    save: (name, text) => replaceWhole(at(name), text),
    setAside(name) {
      renameSync(at(name), at(`${name}.bad`))
      return `${prefix}${name}.bad`
    },
  }
}
