/** The faults that can be injected: one table for the command line, the control endpoint and the tests. */
import { PLAN_REFUSALS } from '../server/account-options.ts'
import { isObject, parseJson } from '../service/control.ts'
import { CodedError } from '../shared/base/errors.ts'
import { FEED_IDS, isFeedId, type FeedId } from '../shared/base/units.ts'

interface Parameter {
  readonly type: 'number' | 'text' | 'feed' | 'flag'
  /** Undefined: optional, with the default described in the docs. */
  readonly fallback?: number | string | boolean
  readonly choices?: readonly string[]
  readonly docs: string
}

interface FaultRow {
  readonly docs: string
  readonly params: Readonly<Record<string, Parameter>>
}

const feed: Parameter = { type: 'feed', docs: 'Only connections of this feed; all when left out.' }
const count = (fallback: number, docs: string): Parameter => ({ type: 'number', fallback, docs })

const REST_FAULTS = ['status', 'html', 'truncated', 'huge', 'hang'] as const

export const FAULTS = {
  drop: { docs: 'Cuts connections without a close frame.', params: { feed } },
  'half-open': {
    docs: 'Connections stay up but go dead for good: no data, no pongs, nothing read.',
    params: { feed },
  },
  stall: {
    docs: 'Market data hangs while pongs go on; what would have come is lost.',
    params: { feed, ms: count(10_000, 'How long; 0 ends a stall.') },
  },
  'expire-token': {
    docs: 'Every token given out so far is expired; open connections end with 4401.',
    params: { close: { type: 'flag', fallback: true, docs: 'Whether open connections are ended.' } },
  },
  reorder: {
    docs: 'The next market messages of each connection come in another order.',
    params: { feed, count: count(100, 'How many.'), window: count(8, 'How far one may move.') },
  },
  duplicate: { docs: 'The next market messages come twice.', params: { feed, count: count(100, 'How many.') } },
  malformed: {
    docs: 'Frames that no document knows: broken JSON, binary, not UTF-8, empty, arrays, huge numbers, hostile keys.',
    params: { feed, count: count(15, 'How many, cycling through the kinds.') },
  },
  unasked: {
    docs: 'Market messages for a symbol that nobody subscribed.',
    params: { feed, count: count(10, 'How many.'), symbol: { type: 'text', fallback: 'UNASKED', docs: 'Its symbol.' } },
  },
  'partial-ack': {
    docs: 'The next acknowledgements of a subscribe leave out the last symbol, which is not subscribed.',
    params: { count: count(1, 'How many acknowledgements.') },
  },
  burst: {
    docs: 'Sends market messages of the subscribed symbols as fast as the readers take them.',
    params: { feed, messages: count(100_000, 'How many on each connection.') },
  },
  'slow-handshake': {
    docs: 'The next handshakes take longer.',
    params: { ms: count(5_000, 'How long.'), count: count(1, 'How many handshakes.') },
  },
  restart: {
    docs: 'The server goes away, refuses connections, and comes back on the same port.',
    params: { ms: count(2_000, 'How long it is away.') },
  },
  plan: {
    docs: 'From now on the account has this plan; open connections that it does not cover are cut.',
    params: {
      plan: { type: 'text', fallback: 'Pro', choices: ['Pro', 'Premium'], docs: 'Pro or Premium.' },
      refusal: {
        type: 'text',
        fallback: 'close',
        choices: PLAN_REFUSALS,
        docs: 'How a feed outside the plan is refused: 4401 with a fresh token, another error code, or silence after the acknowledgement.',
      },
    },
  },
  'forbid-origin': {
    docs: 'The next handshakes are refused with 403.',
    params: { count: count(1, 'How many; 0 ends it.') },
  },
  rest: {
    docs: 'The next REST calls fail.',
    params: {
      count: count(1, 'How many.'),
      kind: { type: 'text', fallback: 'status', choices: REST_FAULTS, docs: 'How.' },
      status: count(500, 'HTTP status of kind "status".'),
      retryAfter: count(0, 'Seconds of a Retry-After header; 0: none.'),
    },
  },
} as const satisfies Record<string, FaultRow>

export type FaultName = keyof typeof FAULTS
export const FAULT_NAMES = Object.keys(FAULTS) as FaultName[] // keys of a literal object

/** Checked parameters of a fault, defaults filled in. */
interface FaultParams {
  readonly feed: FeedId | undefined
  readonly numbers: Readonly<Record<string, number>>
  readonly texts: Readonly<Record<string, string>>
  readonly flags: Readonly<Record<string, boolean>>
}

export interface Fault {
  readonly name: FaultName
  readonly params: FaultParams
}

/** Checks a fault's name and parameters. Throws CodedError `usage` with a sentence about what is wrong. */
export function readFault(name: string, given: Readonly<Record<string, unknown>> = {}): Fault {
  const known = FAULT_NAMES.find((n) => n === name)
  if (known === undefined) throw usage(`There is no fault "${name}"; there are: ${FAULT_NAMES.join(', ')}.`)
  const rows: Readonly<Record<string, Parameter>> = FAULTS[known].params
  for (const key of Object.keys(given))
    if (!Object.hasOwn(rows, key)) throw usage(`The fault "${name}" has no parameter "${key}".`)
  const numbers: Record<string, number> = {}
  const texts: Record<string, string> = {}
  const flags: Record<string, boolean> = {}
  let onFeed: FeedId | undefined
  for (const [key, row] of Object.entries(rows)) {
    const value = given[key] ?? row.fallback
    if (value === undefined || value === null) continue
    if (row.type === 'number' && typeof value === 'number' && Number.isFinite(value) && value >= 0) numbers[key] = value
    else if (row.type === 'flag' && typeof value === 'boolean') flags[key] = value
    else if (row.type === 'text' && typeof value === 'string' && (row.choices?.includes(value) ?? true))
      texts[key] = value
    else if (row.type === 'feed' && typeof value === 'string' && isFeedId(value)) onFeed = value
    else throw usage(`"${key}" of the fault "${name}" wants ${wanted(row)}, not ${JSON.stringify(value)}.`)
  }
  return { name: known, params: { feed: onFeed, numbers, texts, flags } }
}

function wanted(row: Parameter): string {
  if (row.type === 'feed') return `a feed (${FEED_IDS.join(', ')})`
  if (row.type === 'number') return 'a number of 0 or more'
  if (row.type === 'flag') return 'true or false'
  return row.choices === undefined ? 'a text' : row.choices.join(' or ')
}

const usage = (message: string) => new CodedError('usage', message)

export interface ScheduledFault {
  /** Ms after the start of the simulator, on its clock. */
  readonly atMs: number
  readonly fault: Fault
}

/**
 * Reads a schedule: a JSON array of `{"at": ms, "fault": name, ...parameters}`.
 * Throws CodedError `usage` that names the entry.
 */
export function parseSchedule(text: string): ScheduledFault[] {
  const list = parseJson(text)
  if (!Array.isArray(list)) throw usage('A fault schedule is a JSON array of {"at": ms, "fault": name, ...}.')
  return list.map((entry: unknown, i) => {
    if (!isObject(entry)) throw usage(`Entry ${i + 1} of the fault schedule is no object.`)
    const { at, fault, ...params } = entry
    if (typeof at !== 'number' || !(at >= 0)) throw usage(`Entry ${i + 1} of the fault schedule wants "at" in ms.`)
    if (typeof fault !== 'string') throw usage(`Entry ${i + 1} of the fault schedule wants "fault".`)
    return { atMs: at, fault: readFault(fault, params) }
  })
}

/** The frames of the fault `malformed`, in turn. The service documents none of them. */
export const MALFORMED: readonly (string | Uint8Array | { readonly text: Uint8Array })[] = [
  '{"ev":"XT","pair":"BTC-USD","p":',
  // A text frame that isn't UTF-8.
  { text: new Uint8Array([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x7d]) },
  '',
  'null',
  '[]',
  '[{"ev":"XT"},{"ev":"XT"}]',
  '{"ev":"XT","pair":"BTC-USD","p":1e999,"t":1,"s":1}',
  '{"__proto__":{"polluted":true},"ev":"XT","constructor":{"prototype":{}}}',
  '{"type":"surprise","tickers":"BTC-USD"}',
  new Uint8Array([0xff, 0xfe, 0x00, 0x7b, 0x7d]),
  '{"ev":"XQ","pair":"BTC-USD","bp":-1,"ap":"not a number","t":"yesterday"}',
  'plain text, no JSON at all',
  `{"ev":"XT","pair":"${'A'.repeat(2_000)}","p":1,"t":1,"s":1}`,
  '{"ev":"XT","pair":"<script>alert(1)</script>","p":0,"t":99999999999999999999,"s":-1}',
  '\ufeff{"ev":"XT"}',
]
