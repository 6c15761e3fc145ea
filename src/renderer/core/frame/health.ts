/** What needs attention in this terminal. Pure. */
import { isOutOfReach, type AccountState, type Reason, type StatusState } from '../../../shared/core/status/status.ts'
import { t } from '../../../shared/base/text.ts'
import type { NumberText } from '../../text/format.ts'
import { countedFeeds, liveName } from '../account/source-labels.ts'

export type HealthTone = 'ok' | 'busy' | 'bad' | 'off'

/** One thing that needs attention. `open`: where the user can do something about it. */
export interface Concern {
  readonly id: 'link' | 'recording' | 'account' | 'feeds' | 'budget' | 'disk' | 'clock'
  readonly tone: 'busy' | 'bad'
  /** Two to five words for the top bar. */
  readonly short: string
  /** What happened and what to do. */
  readonly text: string
  readonly open?: 'connect' | 'connection' | 'recording'
}

export interface Health {
  readonly tone: HealthTone
  /** The words beside the dot; '' while everything works. */
  readonly short: string
  /** One sentence, for a title and for screen readers. */
  readonly sentence: string
  /** Worst first. */
  readonly concerns: readonly Concern[]
  readonly openFeeds: number
  readonly wantedFeeds: number
}

export interface HealthFacts {
  /** The status of the live terminal; undefined until it has arrived. */
  readonly status: StatusState | undefined
  readonly account: AccountState | undefined
  /** Whether this window is connected to its terminal. */
  readonly isLinked: boolean
  readonly numbers: NumberText
}

/** Free space below which the disk needs attention, and below which that is urgent, bytes. */
const LOW_BYTES = 1e9
const URGENT_BYTES = 1e8
/** A disk that will be full this soon needs attention, too, hours. */
const SOON_HOURS = 24
/** A clock this far from the service's makes event times misleading, ms. */
const SKEW_MS = 2_000

/** Hours until the disk is full at the current rate; null if that isn't known. */
export function hoursLeft({ freeBytes, bytesPerHour }: StatusState['store']): number | null {
  return freeBytes > 0 && bytesPerHour !== null && bytesPerHour > 0 ? freeBytes / bytesPerHour : null
}

function recordingConcern({ recorder }: StatusState): readonly Concern[] {
  if (recorder.is !== 'broken' && recorder.is !== 'paused') return []
  const isBroken = recorder.is === 'broken'
  return [
    {
      id: 'recording',
      tone: isBroken ? 'bad' : 'busy',
      short: isBroken ? t('Recording failed') : t('Recording paused'),
      text: `${recorder.why.message} ${recorder.why.hint}`.trim(),
      open: 'recording',
    },
  ]
}

function feedConcerns(status: StatusState): readonly Concern[] {
  const wanted = countedFeeds(status)
  const named = (feeds: typeof wanted) => feeds.map(({ feed }) => feed).join(', ')
  const refused = wanted.filter(({ state }) => state.is === 'refused')
  const closed = wanted.filter(({ state }) => state.is === 'waiting' || state.is === 'connecting')
  const silent = wanted.filter(({ state }) => state.is === 'stale')
  // A symbol that neither trades nor quotes have room for is one symbol.
  const over = [...new Set(wanted.flatMap(({ overBudget }) => overBudget))]
  const counts = (count: number) => ({ count, wanted: wanted.length })
  const concerns: Concern[] = []
  if (refused.length > 0)
    concerns.push({
      id: 'feeds',
      tone: 'bad',
      short: t({ one: '{count} feed refused', other: '{count} feeds refused' }, { count: refused.length }),
      text: t('{name} refused {feeds}. The reasons are below.', { name: liveName(status), feeds: named(refused) }),
      open: 'connection',
    })
  if (closed.length > 0)
    concerns.push({
      id: 'feeds',
      tone: closed.length === wanted.length ? 'bad' : 'busy',
      short: t('{count} of {wanted} feeds open', counts(wanted.length - closed.length - refused.length)),
      text: t('Not connected: {feeds}. Tapedeck keeps trying.', { feeds: named(closed) }),
    })
  if (silent.length > 0)
    concerns.push({
      id: 'feeds',
      tone: 'busy',
      short: t({ one: '{count} feed silent', other: '{count} feeds silent' }, { count: silent.length }),
      text: t('Connected, but nothing arrives: {feeds}.', { feeds: named(silent) }),
    })
  if (over.length > 0)
    concerns.push({
      id: 'budget',
      tone: 'busy',
      short: t({ one: '{count} symbol left out', other: '{count} symbols left out' }, { count: over.length }),
      text: t('Not subscribed, because a feed’s limit is reached: {symbols}.', { symbols: over.join(', ') }),
      open: 'connection',
    })
  return concerns
}

function diskConcern({ store }: StatusState, numbers: NumberText): readonly Concern[] {
  // Until the first write, the free space isn't known.
  if (store.bytes === 0 || store.freeBytes === 0) return []
  const hours = hoursLeft(store)
  if (store.freeBytes >= LOW_BYTES && (hours === null || hours >= SOON_HOURS)) return []
  const size = numbers.bytes(store.freeBytes)
  return [
    {
      id: 'disk',
      tone: store.freeBytes < URGENT_BYTES ? 'bad' : 'busy',
      short: t('{size} free', { size }),
      text:
        hours === null
          ? t('The disk has {size} left. Free some space, or move the store.', { size })
          : t('The disk has {size} left: about {hours} h at the current rate. Free some space, or move the store.', {
              size,
              hours: numbers.fixed(hours, hours < 10 ? 1 : 0),
            }),
      open: 'recording',
    },
  ]
}

function clockConcern({ skewMs }: StatusState, numbers: NumberText): readonly Concern[] {
  if (skewMs === null || Math.abs(skewMs) < SKEW_MS) return []
  const skew = numbers.latency(Math.abs(skewMs))
  return [
    {
      id: 'clock',
      tone: 'busy',
      short: t('Clock off by {skew}', { skew }),
      text: t(
        'This machine’s clock and the service’s differ by {skew}. Turn on time synchronization in the system settings.',
        { skew },
      ),
    },
  ]
}

/** What the user can do about the problem of an account. */
export const accountAction = (problem: Reason): string =>
  isOutOfReach(problem) ? t('Change account') : t('Sign in again')

/** Judges the live terminal, also while a window shows a replay. */
export function healthOf({ status, account, isLinked, numbers }: HealthFacts): Health {
  const wanted = status ? countedFeeds(status) : []
  const counts = {
    openFeeds: wanted.filter(({ state }) => state.is === 'open').length,
    wantedFeeds: wanted.length,
  }
  if (!isLinked) {
    const text = t('This window lost its connection to Tapedeck. It reconnects by itself.')
    const concern: Concern = { id: 'link', tone: 'bad', short: t('No link'), text }
    return { tone: 'bad', short: concern.short, sentence: text, concerns: [concern], ...counts }
  }
  if (!status) return { tone: 'off', short: '', sentence: t('Waiting for Tapedeck.'), concerns: [], ...counts }
  const found: readonly Concern[] = [
    ...recordingConcern(status),
    ...(account?.problem
      ? [
          {
            id: 'account' as const,
            tone: 'bad' as const,
            short: isOutOfReach(account.problem) ? t('Not connected') : t('Sign in again'),
            text: `${account.problem.message} ${account.problem.hint}`.trim(),
            open: 'connect' as const,
          },
        ]
      : []),
    ...feedConcerns(status),
    ...diskConcern(status, numbers),
    ...clockConcern(status, numbers),
  ]
  const concerns = found.toSorted((a, b) => Number(b.tone === 'bad') - Number(a.tone === 'bad'))
  const [worst] = concerns
  if (worst)
    return {
      tone: worst.tone,
      short: worst.short,
      sentence: concerns.map(({ text }) => text).join(' '),
      concerns,
      ...counts,
    }
  return {
    tone: wanted.length === 0 ? 'off' : 'ok',
    short: '',
    sentence: wanted.length === 0 ? t('No feeds in use.') : t('Everything works.'),
    concerns,
    ...counts,
  }
}
