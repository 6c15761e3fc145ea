/** What tape and charts say of the sides of trades. */
import {
  certaintyOf,
  type Certainty,
  type SideMeter,
  type SideReason,
  type TradeSide,
} from '../../../shared/core/market/flow/side.ts'
import type { FlowCoverage } from '../../../shared/core/market/flow/flow-bars.ts'
import { t } from '../../../shared/base/text.ts'

/** One character in place of a color: buyer, seller, unknown, not settled yet. */
export const sideMark = (side: TradeSide | null): string =>
  side === null ? '…' : side.side === 1 ? t('B') : side.side === -1 ? t('S') : '?'

const REASONS: Readonly<Record<SideReason, () => string>> = {
  message: () => t('The message says so.'),
  touch: () => t('At the bid or ask.'),
  outside: () => t('Outside the quote.'),
  inside: () => t('Inside the quote.'),
  midpoint: () => t('In the middle of the quote.'),
  locked: () => t('Bid and ask were equal.'),
  crossed: () => t('The bid was above the ask.'),
  tick: () => t('No current quote: from the direction of the price.'),
  first: () => t('No current quote and no earlier price.'),
  late: () => t('Its date is too far from its receipt.'),
}

const CERTAINTIES: Readonly<Record<Certainty, () => string>> = {
  known: () => t('known'),
  inferred: () => t('inferred'),
  unknown: () => t('unknown'),
}
/** How certain a side is, as a word; empty until it is settled. */
export const certaintyLabel = (side: TradeSide | null): string =>
  side === null ? '' : CERTAINTIES[certaintyOf(side)]()

/** The side of a print, how certain it is, and why. */
export function sideSentence(side: TradeSide | null): string {
  if (side === null) return t('Side not settled yet: a quote may still arrive.')
  const who = side.side === 1 ? t('Buyer') : side.side === -1 ? t('Seller') : t('Side unknown')
  const certainty = certaintyOf(side)
  const known = certainty === 'unknown' ? who : `${who}, ${CERTAINTIES[certainty]()}`
  return `${known}. ${REASONS[side.reason]()}`
}

const GOOD = 0.97
const FAIR = 0.9

/** How far sides can be trusted. `brief`: for a legend, with `text` as its tooltip. `tone`: as a class. */
export interface SidesNote {
  readonly text: string
  readonly brief: string
  readonly tone: 'fine' | 'dim' | 'warn'
  /** What of it concerns figures that depend on no side; null: nothing. Absent: all of it. */
  readonly ofTrades?: Omit<SidesNote, 'ofTrades'> | null
}

/** A note without a figure. */
export const plainNote = (text: string): SidesNote => ({ text, brief: text, tone: 'dim' })

/**
 * Says how reliable the sides of a period's trades are: how well quotes explain them, the share of trades without a
 * side, how often messages were lost, and how often nothing is stored between two sessions. The meter knows only the
 * newest trades, so if fewer of the period's trades had a quote than it explains, the share is a bound.
 */
export function sidesLabel({
  meter,
  coverage: { trades, unknown, unquoted, gaps, breaks },
}: {
  readonly meter: SideMeter
  readonly coverage: FlowCoverage
}): SidesNote {
  const ofTrades = tradesLabel({ gaps, breaks })
  const quoted = trades === 0 ? 1 : (trades - unquoted) / trades
  const bounded = meter.explained !== null && quoted < meter.explained
  const explained = quoted === 0 ? unquotedLabel() : bounded ? boundLabel(quoted) : meterLabel(meter)
  const note = withBreaks(withGaps(explained, gaps), breaks)
  if (trades === 0) return { ...note, ofTrades }
  const share = (count: number): string => ((Math.ceil((count / trades) * 1_000) / 1_000) * 100).toFixed(1)
  const brief =
    unknown === 0 ? note.brief : t('{sides}, {share} % unknown', { sides: note.brief, share: share(unknown) })
  const sentences = [
    `${note.text}.`,
    ...(unknown === 0 ? [] : [t('{share} % of trades have no side.', { share: share(unknown) })]),
    ...(unquoted === 0 || quoted === 0
      ? []
      : [t('{share} % of trades had no current quote.', { share: share(unquoted) })]),
  ]
  return { ...note, brief, text: sentences.join(' '), ofTrades }
}

/** Says how often messages of a period were lost, for figures that depend on no side; null: never. */
function tradesLabel({ gaps, breaks }: Pick<FlowCoverage, 'gaps' | 'breaks'>): SidesNote['ofTrades'] {
  if (gaps === 0 && breaks === 0) return null
  const lost = t(
    { one: 'Trades or quotes were lost once.', other: 'Trades or quotes were lost {count} times.' },
    { count: gaps },
  )
  const unstored = t(
    {
      one: '{count} break between sessions: nothing is stored for that time.',
      other: '{count} breaks between sessions: nothing is stored for those times.',
    },
    { count: breaks },
  )
  const brief = [
    ...(gaps === 0 ? [] : [t({ one: '{count} gap', other: '{count} gaps' }, { count: gaps })]),
    ...(breaks === 0 ? [] : [t({ one: '{count} break', other: '{count} breaks' }, { count: breaks })]),
  ]
  const text = [...(gaps === 0 ? [] : [lost]), ...(breaks === 0 ? [] : [unstored])]
  return { brief: brief.join(', '), text: text.join(' '), tone: 'dim' }
}

function withGaps(note: SidesNote, gaps: number): SidesNote {
  if (gaps === 0) return note
  return {
    tone: note.tone === 'fine' ? 'dim' : note.tone,
    brief: t({ one: '{sides}, {count} gap', other: '{sides}, {count} gaps' }, { sides: note.brief, count: gaps }),
    text: t(
      {
        one: '{sides}. Trades or quotes were lost once.',
        other: '{sides}. Trades or quotes were lost {count} times.',
      },
      { sides: note.text, count: gaps },
    ).replace(/\.$/, ''),
  }
}

function withBreaks(note: SidesNote, breaks: number): SidesNote {
  if (breaks === 0) return note
  return {
    tone: note.tone === 'fine' ? 'dim' : note.tone,
    brief: t({ one: '{sides}, {count} break', other: '{sides}, {count} breaks' }, { sides: note.brief, count: breaks }),
    text: t(
      {
        one: '{sides}. {count} break between sessions: nothing is stored for that time',
        other: '{sides}. {count} breaks between sessions: nothing is stored for those times',
      },
      { sides: note.text, count: breaks },
    ),
  }
}

/** No trade of a period had a current quote. */
const unquotedLabel = (): SidesNote => ({
  text: t('No current quotes for these trades: sides from price direction'),
  brief: t('no quotes: sides from price direction'),
  tone: 'warn',
})

/** How well the quotes explain the sides at best, because only this share of trades had one. */
function boundLabel(quoted: number): SidesNote {
  const { tone } = meterLabel({ explained: quoted })
  const share = percentBelow(quoted)
  const brief = t('sides at most {share} % explained', { share })
  const text =
    tone === 'warn'
      ? quoted < 0.5
        ? t('At most {share} % explained by quotes: sides mostly from price direction', { share })
        : t('At most {share} % explained by quotes: sides are unreliable', { share })
      : t('Sides inferred, at most {share} % explained by quotes', { share })
  return { text, brief, tone }
}

const percentBelow = (share: number): string => (Math.floor(share * 1_000) / 10).toFixed(1)

/** How well the quotes explain the sides. */
export function meterLabel({ explained }: Pick<SideMeter, 'explained'>): SidesNote {
  if (explained === null)
    return { text: t('Sides inferred, too few trades to check'), brief: t('sides unchecked'), tone: 'dim' }
  if (explained === 0)
    return {
      text: t('No quotes match these trades: sides from price direction'),
      brief: t('no matching quotes'),
      tone: 'warn',
    }
  const share = percentBelow(explained)
  const brief = t('sides {share} % explained', { share })
  if (explained < FAIR)
    return { text: t('Only {share} % explained by quotes: sides are unreliable', { share }), brief, tone: 'warn' }
  const text = t('Sides inferred, {share} % explained by quotes', { share })
  return { text, brief, tone: explained >= GOOD ? 'fine' : 'dim' }
}
