/** A folder with one file per instrument, each replaced atomically. */
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import type { DrawingMarket } from '../../../shared/features/drawings/types.ts'
import { readWhole, replaceWhole } from '../../base/whole-file.ts'
import type { DrawingsFiles } from './port.ts'

/** Prefix of the demo market's files; a service's files start with their asset class. */
const PREFIXES: Readonly<Record<DrawingMarket, string>> = { demo: 'demo-', service: '' }

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
