/** File names for split exports. A symbol sent by a server is never used as a path unchecked. */
import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'

const LONGEST = 40

/**
 * Returns a symbol's part of a file name. A short symbol of letters, digits, inner dots and dashes stays unchanged. In
 * any other, `_` replaces special characters and eight hash digits follow, so that no two names collide.
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

/** File name part for messages without a symbol. It starts with `_`, so no symbol can have it. */
export const NAMELESS = '_other'

/** `/folder/ticks.csv` and `BTC-USD` become `/folder/ticks.BTC-USD.csv`. */
export function partPath(out: string, part: string): string {
  const ending = extname(out)
  return join(dirname(out), `${basename(out, ending)}.${part}${ending}`)
}

/** Returns an existing file that the export would overwrite; for a split, any file that looks like one of its parts. */
export async function findExisting(out: string, split: boolean): Promise<string | undefined> {
  if (!split) return (await stat(out).catch(() => undefined)) === undefined ? undefined : out
  const ending = extname(out)
  const stem = `${basename(out, ending)}.`
  const names = await readdir(dirname(out)).catch(() => [])
  const isPart = (name: string): boolean =>
    name.length > stem.length + ending.length && // `ticks.csv` itself isn't a part
    name.startsWith(stem) &&
    name.endsWith(ending) &&
    !name.endsWith('.manifest.json')
  const found = names.find(isPart)
  return found === undefined ? undefined : join(dirname(out), found)
}
