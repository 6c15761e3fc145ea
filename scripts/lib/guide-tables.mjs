// The tables in the guide, generated from the tables the app runs on.
import { COMMANDS as LISTED, COMMON_OPTIONS } from '../../src/main/hosts/cli/table.ts'
import { LONG_BAR_COLUMNS } from '../../src/main/features/export/bars/bar-cells.ts'
import { BAR_COLUMNS, EXTENDED_COLUMNS } from '../../src/main/features/export/bars/bar-rows.ts'
import { shortOf } from '../../src/main/command-line/arguments.ts'
import { PROCESS_METRICS } from '../../src/main/core/monitor/table.ts'
import { TEAM_METRICS } from '../../src/main/features/team/metrics/table.ts'
import { tickColumns } from '../../src/main/features/export/ticks.ts'
import { SETTINGS, SETTING_TABS } from '../../src/renderer/core/settings/settings-table.ts'
import { settingLabel } from '../../src/renderer/core/settings/labels.ts'
import { FEED_LABELS } from '../../src/renderer/core/market/feed-labels.ts'
import { OFFERED } from '../../src/renderer/core/window/pane-table.ts'
import { GROUPS } from '../../src/renderer/core/window/command-table.ts'
import { COMMANDS } from './window-commands.mjs'
import { CODES } from '../../src/renderer/features/palette/codes.ts'
import { ENDPOINTS, ENDPOINT_GROUPS } from '../../src/service/endpoints.ts'
import { drawingPhrase } from '../../src/shared/features/drawings/texts.ts'
import { DRAWING_KINDS } from '../../src/shared/features/drawings/types.ts'
import { vocabulary } from '../../src/shared/core/market/formula/complete.ts'
import { INDICATOR_FUNCTIONS } from '../../src/shared/core/market/formula/functions.ts'
import { INDICATORS } from '../../src/shared/core/market/indicators/table.ts'
import { INTERVAL_LABELS } from '../../src/shared/core/market/market.ts'
import { FEED_IDS } from '../../src/shared/base/units.ts'

const CLI = await Promise.all(LISTED.map(async ({ name, summary, load }) => ({ ...(await load()), name, summary })))

const cell = (text) => String(text).replace(/\|/g, '\\|').replace(/\s+/g, ' ').trim()
const row = (cells) => `| ${cells.map(cell).join(' | ')} |`
/** A Markdown table. */
const table = (heads, rows) => [row(heads), row(heads.map(() => '---')), ...rows.map(row)].join('\n')
const code = (text) => (text === '' ? '' : `\`${text}\``)
const codes = (texts) => texts.map(code).join(' ')

const WHEN = { live: ' (live)', replay: ' (in a replay)' }

function shortcuts() {
  return GROUPS.map((group) => {
    const rows = COMMANDS.filter((one) => one.group === group && one.keys.length > 0).map(({ title, keys, when }) => [
      codes(keys),
      `${title}${when === undefined ? '' : WHEN[when]}`,
    ])
    return `### ${group}\n\n${table(['keys', 'action'], rows)}`
  }).join('\n\n')
}

function cli() {
  const options = (all) =>
    Object.entries(all).map(([name, { value, help }]) => [
      code(
        `${shortOf(name) === undefined ? '' : `${shortOf(name)}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
      ),
      help,
    ])
  const commands = CLI.map(({ name, summary, positionals, options: own, examples = [] }) =>
    [
      `### ${name}\n\n${summary}`,
      '```sh\n' +
        [`tapedeck ${name}${positionals === undefined ? '' : ` ${positionals}`} [options]`]
          .concat(examples.map(([what, args]) => `\n# ${what}\ntapedeck ${name} ${args}`.trimEnd()))
          .join('\n') +
        '\n```',
      Object.keys(own).length === 0 ? '' : table(['option', 'meaning'], options(own)),
    ]
      .filter((part) => part !== '')
      .join('\n\n'),
  )
  return [...commands, `### Common options\n\n${table(['option', 'meaning'], options(COMMON_OPTIONS))}`].join('\n\n')
}

/** Every key chord that a command has, as the guide writes it. */
export const CHORDS = new Set(COMMANDS.flatMap(({ keys }) => keys))

/** Each table's text by name. */
export const TABLES = {
  'team-metrics': () =>
    table(
      ['metric, after `tapedeck_team_`', 'meaning'],
      Object.entries(TEAM_METRICS).map(([name, { help }]) => [code(name), help]),
    ),
  'process-metrics': () =>
    table(
      ['metric, after `tapedeck_`', 'labels', 'meaning'],
      Object.entries(PROCESS_METRICS).map(([name, { labels, help }]) => [code(name), codes(labels), help]),
    ),
  shortcuts,
  cli,
  codes: () =>
    table(
      ['code', 'action', 'example'],
      CODES.map(({ code: one, also, title, example }) => [codes([one, ...also]), title, code(example)]),
    ),
  settings: () =>
    SETTING_TABS.map((tab) => {
      const rows = SETTINGS.filter((one) => one.tab === tab)
      return rows.length === 0
        ? ''
        : `### ${settingLabel(`settings.tab.${tab}`)}\n\n${table(
            ['setting', 'meaning'],
            rows.map(({ title, about }) => [title, about]),
          )}`
    })
      .filter((part) => part !== '')
      .join('\n\n'),
  feeds: () =>
    table(
      ['feed', 'content'],
      FEED_IDS.map((feed) => [code(feed), FEED_LABELS[feed]]),
    ),
  panes: () =>
    table(
      ['pane', 'content'],
      OFFERED.map(({ title, about }) => [title, about]),
    ),
  intervals: () => codes(INTERVAL_LABELS),
  indicators: () =>
    table(
      ['indicator', 'where', 'parameters and defaults'],
      Object.values(INDICATORS).map(({ title, place, parameters }) => [
        title,
        place === 'price' ? 'on the price chart' : 'in its own pane',
        parameters.map(({ title: name, value }) => `${name} ${value}`).join(', '),
      ]),
    ),
  'formula-values': () =>
    table(
      ['value', 'meaning'],
      vocabulary()
        .filter(({ text }) => !text.endsWith('('))
        .map(({ text, about }) => [code(text), about]),
    ),
  'formula-functions': () =>
    table(
      ['function', 'returns'],
      vocabulary()
        .filter(({ text }) => text.endsWith('(') && !INDICATOR_FUNCTIONS.has(text.slice(0, -1)))
        .map(({ signature, about }) => [code(signature), about]),
    ),
  'formula-indicators': () =>
    table(
      ['function', 'indicator', 'outputs'],
      vocabulary().flatMap(({ text, signature, about }) => {
        const found = INDICATOR_FUNCTIONS.get(text.slice(0, -1))
        return found ? [[code(signature), about, codes(found.outputs.map((one) => `.${one}`))]] : []
      }),
    ),
  drawings: () => DRAWING_KINDS.map((kind) => `- ${drawingPhrase(`drawing.${kind}`)}`).join('\n'),
  endpoints: () =>
    ENDPOINT_GROUPS.map((group) => {
      const rows = ENDPOINTS.filter((one) => one.group === group).map(({ title, path }) => [title, code(path)])
      return `### ${group[0].toUpperCase()}${group.slice(1)}\n\n${table(['response', 'endpoint'], rows)}`
    }).join('\n\n'),
  'tick-columns': () =>
    table(
      ['feed', 'columns'],
      FEED_IDS.map((feed) => [code(feed), codes(tickColumns(feed, { format: 'csv', schema: 2 }))]),
    ),
  'bar-columns': () => codes(LONG_BAR_COLUMNS),
  'bar-columns-first': () => codes(BAR_COLUMNS),
  'bar-columns-extended': () => codes(EXTENDED_COLUMNS),
}

const PLACE = /<!-- table: ([a-z-]+) -->\n[\s\S]*?<!-- end -->/g

/** Returns a page with its tables regenerated. Throws if it names an unknown table. */
export function withTables(page) {
  return page.replace(PLACE, (_, name) => {
    const write = TABLES[name]
    if (!write) throw new Error(`There is no table "${name}" for the guide.`)
    return `<!-- table: ${name} -->\n\n${write()}\n\n<!-- end -->`
  })
}
/** Names of a page's tables. */
export const tablesIn = (page) => [...page.matchAll(PLACE)].map(([, name]) => name)
