/** Help topics, derived from the same tables the window uses. */
import { GAP_CAUSES } from '../../../shared/core/recording/session.ts'
import type { EndpointInfo } from '../../../shared/features/research/research.ts'
import { FEED_IDS } from '../../../shared/base/units.ts'
import { helpLabel } from './labels.ts'
import { languageTag, t } from '../../../shared/base/text.ts'
import { settingLabel } from '../../core/settings/labels.ts'
import { settingsHere } from '../../core/settings/settings-table.ts'
import { FEED_LABELS } from '../../core/market/feed-labels.ts'
import { freshnessLabel, freshnessSentence, type ShownFreshness } from '../../core/market/freshness.ts'
import { causeText } from '../../text/replay-labels.ts'
import { feedStateText } from '../../core/account/source-labels.ts'
import type { WindowState } from '../../core/window/window.svelte.ts'
import { keysNamed } from '../../core/window/tooltip.ts'
import { isThere } from '../../core/window/command-table.ts'
import type { PaletteService } from '../palette/feature.ts'
import { fitOf } from '../../text/fuzzy-rank.ts'

export const HELP_SECTIONS = ['start', 'commands', 'codes', 'words', 'feeds', 'endpoints', 'settings'] as const
export type HelpSection = (typeof HELP_SECTIONS)[number]

export interface HelpTopic {
  readonly id: string
  readonly section: HelpSection
  readonly title: string
  readonly text: string
  readonly keys: readonly string[]
  readonly words: readonly string[]
  /** Opens what the topic describes; null if the topic is only text. */
  readonly run: ((app: WindowState) => void) | null
}

const topic = (
  section: HelpSection,
  id: string,
  title: string,
  text: string,
  more: Partial<Pick<HelpTopic, 'keys' | 'words' | 'run'>> = {},
): HelpTopic => ({ id: `${section}:${id}`, section, title, text, keys: [], words: [], run: null, ...more })

const START = ['palette', 'interval', 'record', 'replay', 'menus'] as const
const WORDS = [
  'demo',
  'replay',
  'recording',
  'incomplete',
  'mid',
  'identical',
  'undecodable',
  'unasked',
  'p99',
] as const
const FRESHNESS: readonly ShownFreshness[] = ['live', 'quiet', 'stale', 'closed', 'disconnected', 'waiting', 'ended']

const capital = (text: string) => text.slice(0, 1).toLocaleUpperCase(languageTag()) + text.slice(1)

/** All topics, with the current state. */
export function helpTopics(
  app: WindowState,
  palette: PaletteService,
  endpoints: readonly EndpointInfo[],
): readonly HelpTopic[] {
  const { commands } = app
  const replaying = app.view !== 'live'
  const keys = keysNamed(app)
  return [
    ...START.map((id) => topic('start', id, helpLabel(`help.start.${id}`), helpLabel(`help.start.${id}.text`, keys))),
    ...commands.all.map((one) =>
      topic('commands', one.id, one.title, '', {
        keys: commands.keysOf(one),
        words: [t(one.group)],
        run: one.listedOnly || !isThere(one, replaying) ? null : one.run,
      }),
    ),
    ...palette.codes.map((row) =>
      topic(
        'codes',
        row.code,
        `${row.code}: ${row.title}`,
        row.also.length === 0
          ? t('Example: {example}', { example: row.example })
          : t('Example: {example}. Also {also}.', { example: row.example, also: row.also.join(', ') }),
        { words: [row.code, ...row.also] },
      ),
    ),
    ...WORDS.map((id) => topic('words', id, helpLabel(`help.word.${id}`), helpLabel(`help.word.${id}.text`))),
    ...FRESHNESS.map((one) => topic('words', one, capital(freshnessLabel(one)), freshnessSentence(one, null))),
    ...GAP_CAUSES.map((cause) =>
      topic(
        'words',
        `gap-${cause}`,
        t('Gap: {cause}', { cause: causeText(cause) }),
        t(
          'An interval in which subscribed data wasn’t received, for this reason. It is hatched on charts and listed with its session.',
        ),
        {
          words: [cause],
        },
      ),
    ),
    ...FEED_IDS.map((id) => {
      const feed = app.status?.feeds.find((one) => one.feed === id)
      const state = feed ? t('Now: {state}.', { state: feedStateText(feed.state, app.wallMs) }) : ''
      return topic('feeds', id, id, [FEED_LABELS[id], state].join('. ').replace(/\. $/, '.'))
    }),
    ...palette
      .endpointItems(endpoints)
      .map((item) =>
        topic('endpoints', item.id, item.title, item.detail ?? '', { words: item.words ?? [], run: item.run }),
      ),
    ...settingsHere(app).map((row) =>
      topic('settings', row.id, row.title, settingLabel(`settings.tab.${row.tab}`), {
        words: row.words,
        run: (window) => window.openSettings(row.tab, row.id),
      }),
    ),
  ]
}

/** Score of a topic whose text contains every word of the query. The text isn't searched fuzzily. */
const TEXT_FIT = 90

/** Topics that match a query, best first; all topics for an empty query. Pure. */
export function searchHelp(query: string, topics: readonly HelpTopic[]): readonly HelpTopic[] {
  const wanted = query.trim()
  if (wanted === '') return topics
  const words = wanted.toLowerCase().split(/\s+/)
  return topics
    .flatMap((one, order) => {
      const keys = one.keys.some((chord) => chord.toLowerCase() === wanted.toLowerCase()) ? 900 : 0
      const text = words.every((word) => one.text.toLowerCase().includes(word)) ? TEXT_FIT : 0
      const score = Math.max(fitOf(wanted, one) ?? 0, keys, text)
      return score > 0 ? [{ one, order, score }] : []
    })
    .toSorted((a, b) => b.score - a.score || a.order - b.order)
    .map(({ one }) => one)
}
