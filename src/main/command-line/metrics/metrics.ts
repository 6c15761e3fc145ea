/** The values of a process's metrics, and their text for Prometheus (exposition format 0.0.4). Pure. */

export interface MetricRow {
  readonly type: 'counter' | 'gauge'
  readonly labels: readonly string[]
  readonly help: string
}

export type MetricTable = Readonly<Record<string, MetricRow>>
export type MetricName<T extends MetricTable> = keyof T & string
export type LabelName<T extends MetricTable, N extends MetricName<T>> = T[N]['labels'][number]
export type CounterName<T extends MetricTable> = {
  [N in MetricName<T>]: T[N]['type'] extends 'counter' ? N : never
}[MetricName<T>]

/** A value for each label of a metric. */
export type Labels<T extends MetricTable, N extends MetricName<T>> = Readonly<Record<LabelName<T, N>, string | number>>

export interface Metrics<T extends MetricTable> {
  /** Sets a value. A counter may be set, too, if something else counts; it must not go down. */
  set<N extends MetricName<T>>(name: N, labels: Labels<T, N>, value: number): void
  /** Adds to a counter; by default 1. */
  add<N extends CounterName<T>>(name: N, labels: Labels<T, N>, amount?: number): void
  /** Removes every value with this label, such as those of a session that has ended. */
  forget(label: LabelName<T, MetricName<T>>, value: string | number): void
  /** Removes every value. */
  clear(): void
  /** Calls `update` each time before the values are read, for lags and sizes. Returns a function that stops it. */
  beforeRead(update: () => void): () => void
  /** All values in the text format of Prometheus. */
  text(): string
}

const escapeHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
const escapeLabel = (text: string): string => escapeHelp(text).replaceAll('"', '\\"')

const formatNumber = (value: number): string => {
  if (Number.isNaN(value)) return 'NaN'
  if (Math.abs(value) === Infinity) return value > 0 ? '+Inf' : '-Inf'
  return String(value)
}

interface Sample {
  readonly labels: Readonly<Record<string, string | number>>
  value: number
}

/** An empty set of metrics. `prefix` starts every name; every value also has the labels of `constant`. */
export function createMetrics<T extends MetricTable>(
  table: T,
  prefix: string,
  constant: Readonly<Record<string, string>>,
): Metrics<T> {
  const names = Object.keys(table) as MetricName<T>[] // the keys of its type
  const samples = new Map<string, Map<string, Sample>>(names.map((name) => [name, new Map()]))
  const updates = new Set<() => void>()

  /** Labels in the order of the table, in braces. */
  const labelText = (name: MetricName<T>, labels: Readonly<Record<string, string | number>>): string => {
    const own = table[name].labels.map((label): [string, string] => [label, String(labels[label])])
    const all: [string, string][] = [...Object.entries(constant), ...own]
    return `{${all.map(([label, value]) => `${label}="${escapeLabel(value)}"`).join(',')}}`
  }
  const put = (
    name: MetricName<T>,
    labels: Readonly<Record<string, string | number>>,
    value: number,
    add: boolean,
  ): void => {
    const key = labelText(name, labels)
    const sample = samples.get(name)?.get(key)
    if (sample === undefined) samples.get(name)?.set(key, { labels: { ...labels }, value })
    else sample.value = add ? sample.value + value : value
  }

  return {
    set: (name, labels, value) => put(name, labels, value, false),
    add: (name, labels, amount = 1) => put(name, labels, amount, true),
    forget(label, value) {
      for (const values of samples.values()) {
        for (const [key, { labels }] of values) {
          if (labels[label] !== undefined && String(labels[label]) === String(value)) values.delete(key)
        }
      }
    },
    clear() {
      for (const values of samples.values()) values.clear()
    },
    beforeRead(update) {
      updates.add(update)
      return () => void updates.delete(update)
    },
    text() {
      for (const update of updates) update()
      return names
        .filter((name) => samples.get(name)?.size !== 0)
        .map((name) => {
          const { type, help } = table[name]
          const lines = [...(samples.get(name) ?? [])].map(
            ([labels, { value }]) => `${prefix}${name}${labels} ${formatNumber(value)}\n`,
          )
          return `# HELP ${prefix}${name} ${escapeHelp(help)}\n# TYPE ${prefix}${name} ${type}\n${lines.join('')}`
        })
        .join('')
    },
  }
}
