/** The values of a process's metrics, and their text for Prometheus (exposition format 0.0.4). Pure. */
import { TEAM_METRICS, type CounterName, type LabelName, type MetricName, type MetricRow } from './table.ts'

/** A value for each label of a metric. */
export type Labels<N extends MetricName> = Readonly<Record<LabelName<N>, string | number>>

export interface TeamMetrics {
  /** Sets a value. A counter may be set, too, if something else counts; it must not go down. */
  set<N extends MetricName>(name: N, labels: Labels<N>, value: number): void
  /** Adds to a counter; by default 1. */
  add<N extends CounterName>(name: N, labels: Labels<N>, amount?: number): void
  /** Removes every value with this label, such as those of a session that has ended. */
  forget(label: LabelName<MetricName>, value: string | number): void
  /** Calls `update` each time before the values are read, for lags and sizes. Returns a function that stops it. */
  beforeRead(update: () => void): () => void
  /** All values in the text format of Prometheus. Each of them also has the labels `team` and `role`. */
  text(): string
}

export type MetricsRole = 'recorder' | 'archiver' | 'terminal'

const PREFIX = 'tapedeck_team_'
const TABLE: Readonly<Record<MetricName, MetricRow>> = TEAM_METRICS
const NAMES = Object.keys(TABLE) as readonly MetricName[] // the keys of its type

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

/** An empty set of metrics for one process of a team. */
export function createTeamMetrics(about: { readonly team: string; readonly role: MetricsRole }): TeamMetrics {
  const samples = new Map<MetricName, Map<string, Sample>>(NAMES.map((name) => [name, new Map()]))
  const updates = new Set<() => void>()

  /** Labels in the order of the table, in braces. */
  const labelText = (name: MetricName, labels: Readonly<Record<string, string | number>>): string => {
    const own = TABLE[name].labels.map((label): [string, string] => [label, String(labels[label])])
    const all: [string, string][] = [['team', about.team], ['role', about.role], ...own]
    return `{${all.map(([label, value]) => `${label}="${escapeLabel(value)}"`).join(',')}}`
  }
  const put = (name: MetricName, labels: Readonly<Record<string, string | number>>, value: number, add: boolean) => {
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
    beforeRead(update) {
      updates.add(update)
      return () => void updates.delete(update)
    },
    text() {
      for (const update of updates) update()
      return NAMES.filter((name) => samples.get(name)?.size !== 0)
        .map((name) => {
          const { type, help } = TABLE[name]
          const lines = [...(samples.get(name) ?? [])].map(
            ([labels, { value }]) => `${PREFIX}${name}${labels} ${formatNumber(value)}\n`,
          )
          return `# HELP ${PREFIX}${name} ${escapeHelp(help)}\n# TYPE ${PREFIX}${name} ${type}\n${lines.join('')}`
        })
        .join('')
    },
  }
}
