/** A JSON value as lines that fold: what the raw view shows, searches and copies paths of. */
import {
  entriesOf,
  isList,
  isObject,
  isScalar,
  scalarText,
  type Value,
} from '../../../../shared/features/research/value.ts'

export interface JsonLine {
  readonly depth: number
  /** From the root, as a JSONPath: `$.data.rows[3].close`. */
  readonly path: string
  readonly key: string | null
  /** The scalar's text; null for lists and objects. */
  readonly text: string | null
  readonly kind: 'string' | 'number' | 'boolean' | 'null' | 'list' | 'object'
  /** How much a list or object holds. */
  readonly size: number
  readonly open: boolean
}

/** Lists and objects larger than this start closed. */
const OPEN_UP_TO = 60
const LONGEST_TEXT = 20_000

const NAME = /^[A-Za-z_$][\w$]*$/

/** The path of a key below another path. */
export function pathOf(parent: string, key: string | number): string {
  if (typeof key === 'number') return `${parent}[${key}]`
  return NAME.test(key) ? `${parent}.${key}` : `${parent}[${JSON.stringify(key)}]`
}

/** Whether a place is open, where the user has not said: the top levels, unless they are long. */
export const opensAtFirst = (depth: number, size: number): boolean => depth < 3 && size <= OPEN_UP_TO

/** Lines of a value; `toggled` holds the paths whose state the user turned. With a search, only what matches and what leads to it. */
export function jsonLines(value: Value, toggled: ReadonlySet<string>, search = ''): readonly JsonLine[] {
  const wanted = search.trim().toLowerCase()
  const lines: JsonLine[] = []
  visit(value, null, '$', 0, toggled, wanted, lines)
  return lines
}

/** Writes a value's lines; answers whether it is to be kept. */
function visit(
  value: Value,
  key: string | null,
  path: string,
  depth: number,
  toggled: ReadonlySet<string>,
  wanted: string,
  lines: JsonLine[],
): boolean {
  const named = wanted === '' || (key !== null && key.toLowerCase().includes(wanted))
  if (isScalar(value)) {
    const text =
      typeof value === 'string'
        ? JSON.stringify(value.slice(0, LONGEST_TEXT))
        : value === null
          ? 'null'
          : scalarText(value)
    if (!named && !text.toLowerCase().includes(wanted)) return false
    const kind =
      value === null ? 'null' : typeof value === 'string' ? 'string' : typeof value === 'boolean' ? 'boolean' : 'number'
    lines.push({ depth, path, key, text, kind, size: 0, open: false })
    return true
  }
  const list = isList(value)
  const children: readonly (readonly [string | number, Value])[] = list
    ? value.map((one, i) => [i, one] as const)
    : isObject(value)
      ? entriesOf(value)
      : []
  const at = lines.length
  const size = children.length
  const open = wanted !== '' ? true : opensAtFirst(depth, size) !== toggled.has(path)
  lines.push({ depth, path, key, text: null, kind: list ? 'list' : 'object', size, open })
  let found = false
  if (open) {
    for (const [name, one] of children) {
      // Below a name that matched, everything is shown.
      const inside = visit(one, String(name), pathOf(path, name), depth + 1, toggled, named ? '' : wanted, lines)
      found ||= inside
    }
  }
  if (wanted === '' || found || named) return true
  lines.length = at
  return false
}
