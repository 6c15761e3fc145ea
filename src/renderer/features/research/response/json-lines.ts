/** A JSON value as foldable lines, for the raw view. */
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
  /** JSONPath from the root, such as `$.data.rows[3].close`. */
  readonly path: string
  readonly key: string | null
  /** The scalar's text; null for lists and objects. */
  readonly text: string | null
  readonly kind: 'string' | 'number' | 'boolean' | 'null' | 'list' | 'object'
  /** Number of entries of a list or object. */
  readonly size: number
  readonly open: boolean
}

/** Lists and objects with more entries start collapsed. */
const OPEN_UP_TO = 60
const LONGEST_TEXT = 20_000

const NAME = /^[A-Za-z_$][\w$]*$/

/** The JSONPath of a key or index below `parent`. */
export function pathOf(parent: string, key: string | number): string {
  if (typeof key === 'number') return `${parent}[${key}]`
  return NAME.test(key) ? `${parent}.${key}` : `${parent}[${JSON.stringify(key)}]`
}

/** Whether a list or object starts expanded: the top three levels, unless they are long. */
const opensAtFirst = (depth: number, size: number): boolean => depth < 3 && size <= OPEN_UP_TO

/** Lines of a value. `toggled`: paths the user folded or unfolded. A search keeps matches and their ancestors. */
export function jsonLines(value: Value, toggled: ReadonlySet<string>, search = ''): readonly JsonLine[] {
  const wanted = search.trim().toLowerCase()
  const lines: JsonLine[] = []
  visit(value, null, '$', 0, toggled, wanted, lines)
  return lines
}

/** Appends a value's lines. Returns false, and appends nothing, if nothing in it matches the search. */
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
      // A matching key shows everything below it.
      const inside = visit(one, String(name), pathOf(path, name), depth + 1, toggled, named ? '' : wanted, lines)
      found ||= inside
    }
  }
  if (wanted === '' || found || named) return true
  lines.length = at
  return false
}
