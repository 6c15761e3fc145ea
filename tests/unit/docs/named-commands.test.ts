/**
 * Commands in the text of the documents, and those that the files of `packaging` run, exist with the options that they
 * use. `team.test.ts` runs the guide to teams on real servers.
 */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { TEAM_LIMITS_MS } from '../../../src/shared/features/team/limits.ts'
import { COMMANDS, COMMON_OPTIONS } from '../../../src/main/hosts/cli/table.ts'
import { TEAM_METRICS } from '../../../src/main/features/team/metrics/table.ts'
import { DOCUMENTS, proseOf, spansIn } from './blocks.ts'

const { scripts: SCRIPTS } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

const inCompose = (text: string): readonly (readonly string[])[] =>
  [...text.matchAll(/command:\s*\[([^\]]*)\]/g)]
    .map(([, list]) => [...list.matchAll(/["']([^"']*)["']/g)].map(([, argument]) => argument))
    .filter(([first]) => first !== '-c')
const inUnit = (text: string): readonly (readonly string[])[] => {
  const [, started = ''] = /^ExecStart=tapedeck (.*)$/m.exec(text) ?? []
  const [, more = ''] = /TAPEDECK_ARGS=(.*)$/m.exec(text) ?? []
  return [[...started.split(' '), ...more.split(' ')]]
}

it.each([
  ['packaging/compose.yaml', inCompose, 4],
  ['packaging/systemd/tapedeck-record.service', inUnit, 1],
  ['packaging/systemd/tapedeck-archive.service', inUnit, 1],
])('%s', async (path, find, least) => {
  const found = find(read(path))
  expect(found.length).toBeGreaterThanOrEqual(least)
  await checkCommands(found)
})

async function checkCommands(found: readonly (readonly string[])[]): Promise<void> {
  for (const [name, ...args] of found) {
    const listed = COMMANDS.find((one) => one.name === name)
    expect([name, listed !== undefined]).toEqual([name, true])
    const options: Readonly<Record<string, unknown>> = { ...(await listed?.load())?.options, ...COMMON_OPTIONS }
    const used = args.filter((one) => one.startsWith('--')).map((one) => one.slice(2))
    for (const option of used) expect([name, option, option in options]).toEqual([name, option, true])
  }
}

/** What files of Tapedeck begin with, which isn't a command. */
const HEADERS: readonly string[] = ['tapedeck store 1', 'tapedeck session']
/** The commands of Tapedeck and npm in the text of a page. */
const namedIn = (page: string): readonly string[] =>
  spansIn(proseOf(page)).filter((span) => /^(?:tapedeck|npm run) /.test(span) && !HEADERS.includes(span))

it.each(DOCUMENTS)('the text of %s', async (page) => {
  const words = namedIn(page).map((span) => span.split(' '))
  const named = words.filter(([first, name = '']) => first === 'tapedeck' && /^[a-z][a-z-]+$/.test(name))
  await checkCommands(named.map(([, ...args]) => args))
  const scripts = words.flatMap(([first, , ...args]) =>
    first === 'npm' ? [args.find((one) => !one.startsWith('-')) ?? ''] : [],
  )
  expect(scripts.filter((script) => !(script in SCRIPTS))).toEqual([])
})

it('the text of the documents names as many commands as backticks open', () => {
  const opened = (page: string) => [...proseOf(page).matchAll(/`(?:tapedeck|npm\s+run)\s/g)].length
  const headers = (page: string) => spansIn(proseOf(page)).filter((span) => HEADERS.includes(span)).length
  const counts = DOCUMENTS.map((page) => ({ page, commands: namedIn(page).length + headers(page) }))
  expect(counts).toEqual(DOCUMENTS.map((page) => ({ page, commands: opened(page) })))
  const least = { 'README.md': 4, 'CONTRIBUTING.md': 20, 'docs/guide/team.md': 10 }
  for (const [page, commands] of Object.entries(least)) expect(namedIn(page).length).toBeGreaterThanOrEqual(commands)
})

it('alarms use metrics that exist', () => {
  const alarms = read('packaging/prometheus-alerts.yaml')
  const names = [...alarms.matchAll(/tapedeck_team_(\w+)/g)].map(([, name]) => name)
  expect(names.length).toBeGreaterThanOrEqual(4)
  for (const name of names) expect(Object.keys(TEAM_METRICS)).toContain(name)
  expect(alarms).toContain('tapedeck_team_(publish|history)_lag_seconds')
  expect(Object.keys(TEAM_METRICS)).toEqual(expect.arrayContaining(['publish_lag_seconds', 'history_lag_seconds']))
})

it('alarms and the guide wait as long as the Team pane', () => {
  const alarms = read('packaging/prometheus-alerts.yaml')
  const limits = [...alarms.matchAll(/_seconds"?\}?\) > (\d+)$/gm)].map(([, seconds]) => Number(seconds) * 1_000)
  expect(limits).toEqual([TEAM_LIMITS_MS.late, TEAM_LIMITS_MS.gone])
  const guide = read('docs/guide/team.md')
  expect(guide).toContain(`| history more than ${TEAM_LIMITS_MS.late / 60_000} minutes behind |`)
  expect(guide).toContain(`| shard without a recorder for ${TEAM_LIMITS_MS.gone / 1_000} s |`)
})
