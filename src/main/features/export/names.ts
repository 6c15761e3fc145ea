/** Names of the files of a split export: what a server calls a symbol never becomes a path. */
import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'

const LONGEST = 40

/**
 * A part of a file's name for a symbol: letters, digits, dots and dashes as they are; every other character
 * becomes `_`, and what was changed or cut ends in eight digits of its hash, so that no two are alike.
 */
export function nameOfSymbol(symbol: string): string {
  if (symbol.length <= LONGEST && /^[A-Za-z0-9](?:[A-Za-z0-9-]|\.(?=[A-Za-z0-9-]))*$/.test(symbol)) return symbol
  const hash = createHash('sha256').update(symbol).digest('hex').slice(0, 8)
  const name = symbol
    .slice(0, LONGEST)
    .replace(/[^A-Za-z0-9-]/g, '_')
    .replace(/^_+/, '')
  return `${name}${name === '' ? '' : '-'}${hash}`
}

/** Messages that name no symbol. No symbol has this name: it begins with a `_`. */
export const NAMELESS = '_other'

/** `/folder/ticks.csv` and `BTC-USD` are `/folder/ticks.BTC-USD.csv`. */
export function partPath(out: string, part: string): string {
  const ending = extname(out)
  return join(dirname(out), `${basename(out, ending)}.${part}${ending}`)
}

/** The file of an export that is there already, or one that a split may write; undefined: none is. */
export async function findExisting(out: string, split: boolean): Promise<string | undefined> {
  if (!split) return (await stat(out).catch(() => undefined)) === undefined ? undefined : out
  const ending = extname(out)
  const stem = `${basename(out, ending)}.`
  const names = await readdir(dirname(out)).catch(() => [])
  const isPart = (name: string): boolean =>
    name.length > stem.length + ending.length && // the whole `ticks.csv` is no part of itself
    name.startsWith(stem) &&
    name.endsWith(ending) &&
    !name.endsWith('.manifest.json')
  const found = names.find(isPart)
  return found === undefined ? undefined : join(dirname(out), found)
}
