/** Market messages as text, with the documented keys and order, in one of three number styles that servers use. */
import { FEEDS, type Feed } from '../../service/feeds.ts'
import type { FeedId } from '../../shared/base/units.ts'

/**
 * How a server writes: as JavaScript (`{"p":1}`), as Python (`{"p": 1.0}`, `1e-05`), or with the
 * instrument's fixed decimals (`{"p":1.00}`).
 */
export type NumberStyle = 'javascript' | 'python' | 'fixed'

/** The values of a message by field role. NaN omits a field. */
export interface Values {
  readonly price: number
  readonly size: number
  readonly bid: number
  readonly ask: number
  readonly bidSize: number
  readonly askSize: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly volume: number
  readonly time: number
  readonly start: number
  readonly end: number
}

type Role = keyof Values

/** Fields in documented order (docs/service.md#feeds). Undocumented stock feeds use the order of similar feeds. */
function orderOf(feed: Feed): readonly Role[] {
  switch (feed.kind) {
    case 'trade':
      return feed.shape === 'documented' ? ['price', 'time', 'size'] : ['price', 'size', 'time']
    case 'quote':
      return feed.asset === 'forex' ? ['ask', 'bid', 'time'] : ['bid', 'ask', 'bidSize', 'askSize', 'time']
    case 'bar':
      return ['open', 'close', 'high', 'low', 'volume', 'start', 'end']
  }
}

const SIZES: ReadonlySet<Role> = new Set(['size', 'bidSize', 'askSize', 'volume'])
const TIMES: ReadonlySet<Role> = new Set(['time', 'start', 'end'])

/** Writes one feed's messages. */
export type Writer = (symbol: string, values: Partial<Values>, decimals: number, sizeDecimals: number) => string

export function writerOf(feedId: FeedId, style: NumberStyle): Writer {
  const feed = FEEDS[feedId]
  const [comma, colon] = style === 'python' ? [', ', ': '] : [',', ':']
  const head = `{"ev"${colon}"${feed.code}"${comma}"${feed.fields.symbol}"${colon}`
  const fields = orderOf(feed).flatMap((role) => {
    const key = feed.fields[role]
    return key === undefined ? [] : [{ role, prefix: `${comma}"${key}"${colon}` }]
  })
  const number = (role: Role, value: number, decimals: number, sizeDecimals: number) => {
    if (TIMES.has(role) || style === 'javascript') return String(value)
    const size = SIZES.has(role)
    if (style === 'fixed') return value.toFixed(size ? sizeDecimals : decimals)
    return size && sizeDecimals === 0 ? String(value) : pythonFloat(value)
  }
  return (symbol, values, decimals, sizeDecimals) => {
    let text = head + JSON.stringify(symbol)
    for (const { role, prefix } of fields) {
      const value = values[role]
      if (value !== undefined && !Number.isNaN(value)) text += prefix + number(role, value, decimals, sizeDecimals)
    }
    return text + '}'
  }
}

/** A float as Python's json writes it: the shortest digits, always a point or an exponent. */
export function pythonFloat(value: number): string {
  if (value !== 0 && Math.abs(value) < 1e-4) {
    const [digits = '0', exponent = '0'] = value.toExponential().split('e')
    const power = Math.abs(Number(exponent))
    return `${digits}e-${String(power).padStart(2, '0')}`
  }
  const text = String(value)
  return /[.e]/.test(text) ? text : `${text}.0`
}

/** Joins unmasked WebSocket text frames of a server, so that many messages need one write. */
export function frameTexts(texts: readonly string[]): Buffer {
  let total = 0
  const lengths = new Array<number>(texts.length)
  for (let i = 0; i < texts.length; i++) {
    const length = Buffer.byteLength(texts[i])
    lengths[i] = length
    total += length + (length < 126 ? 2 : length < 65_536 ? 4 : 10)
  }
  const out = Buffer.allocUnsafe(total)
  let at = 0
  for (let i = 0; i < texts.length; i++) {
    const length = lengths[i]
    out[at++] = 0x81
    if (length < 126) out[at++] = length
    else if (length < 65_536) {
      out[at++] = 126
      at = out.writeUInt16BE(length, at)
    } else {
      out[at++] = 127
      at = out.writeBigUInt64BE(BigInt(length), at)
    }
    at += out.write(texts[i], at)
  }
  return out
}
