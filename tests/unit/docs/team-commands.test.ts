/** Commands that the guide to teams and the files of `packaging` run exist, with the options that they use. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { COMMANDS, COMMON_OPTIONS } from '../../../src/main/hosts/cli/table.ts'
import { TEAM_METRICS } from '../../../src/main/features/team/metrics/table.ts'

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

/** Lines of shell code that start with `tapedeck`, continued lines joined. */
const inGuide = (text: string): readonly (readonly string[])[] =>
  text
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([first]) => first === 'tapedeck')
    .map(([, ...args]) => args)
const inCompose = (text: string): readonly (readonly string[])[] =>
  [...text.matchAll(/command:\s*\[([^\]]*)\]/g)]
    .map(([, list]) => [...list.matchAll(/["']([^"']*)["']/g)].map(([, argument]) => argument))
    .filter(([first]) => first !== '-c')
const inUnit = (text: string): readonly (readonly string[])[] => {
  const [, started = ''] = /^ExecStart=\/usr\/bin\/tapedeck (.*)$/m.exec(text) ?? []
  const [, more = ''] = /TAPEDECK_ARGS=(.*)$/m.exec(text) ?? []
  return [[...started.split(' '), ...more.split(' ')]]
}

it.each([
  ['docs/guide/team.md', inGuide, 10],
  ['packaging/compose.yaml', inCompose, 4],
  ['packaging/systemd/tapedeck-record.service', inUnit, 1],
  ['packaging/systemd/tapedeck-archive.service', inUnit, 1],
])('%s', async (path, find, least) => {
  const found = find(read(path))
  expect(found.length).toBeGreaterThanOrEqual(least)
  for (const [name, ...args] of found) {
    const listed = COMMANDS.find((one) => one.name === name)
    expect([name, listed !== undefined]).toEqual([name, true])
    const options: Readonly<Record<string, unknown>> = { ...(await listed?.load())?.options, ...COMMON_OPTIONS }
    const used = args.filter((one) => one.startsWith('--')).map((one) => one.slice(2))
    for (const option of used) expect([name, option, option in options]).toEqual([name, option, true])
  }
})

it('alarms use metrics that exist', () => {
  const alarms = read('packaging/prometheus-alerts.yaml')
  const names = [...alarms.matchAll(/tapedeck_team_(\w+)/g)].map(([, name]) => name)
  expect(names.length).toBeGreaterThanOrEqual(4)
  for (const name of names) expect(Object.keys(TEAM_METRICS)).toContain(name)
  expect(alarms).toContain('tapedeck_team_(publish|history)_lag_seconds')
  expect(Object.keys(TEAM_METRICS)).toEqual(expect.arrayContaining(['publish_lag_seconds', 'history_lag_seconds']))
})
