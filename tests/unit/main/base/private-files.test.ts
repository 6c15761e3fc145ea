import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { tightenHome } from '../../../../src/main/base/private-files.ts'
import { openStoreWriter } from '../../../../src/main/core/store/open.ts'
import { unixMs } from '../../../../src/shared/base/units.ts'
import { DEMO, T0, Writer } from '../core/store/harness.ts'
import { makeStoreFolder } from '../../../kit/folder.ts'
import { tradeText } from '../../../kit/market.ts'

let folder: ReturnType<typeof makeStoreFolder>
let home: string
beforeEach(() => {
  folder = makeStoreFolder()
  home = join(folder.path, 'home')
  mkdirSync(home)
})
afterEach(() => folder.remove())

const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8)
const cli = fileURLToPath(new URL('../../../../src/main/cli.ts', import.meta.url))

describe.skipIf(process.platform === 'win32')('files of the app', () => {
  test('of an earlier version are closed to others at the start, exports have the mode of any program', async () => {
    const file = join(home, 'tapedeck.db')
    const writer = await openStoreWriter({ file })
    const id = await writer.begin(DEMO, unixMs(T0))
    writer.append(new Writer().batch([{ conn: 1, data: tradeText('BTC-USD', 1, 1, T0) }]))
    await writer.end(unixMs(T0 + 1_000), [])
    await writer.close()
    mkdirSync(join(home, 'drawings'))
    writeFileSync(join(home, 'drawings', 'a.json'), '{}')
    for (const path of [home, join(home, 'drawings')]) chmodSync(path, 0o755)
    for (const path of [file, `${file}.lock`, join(home, 'drawings', 'a.json')]) chmodSync(path, 0o644)
    const saved = join(folder.path, 'monday.tapedeck')
    const backup = join(folder.path, 'safe')
    const lake = join(folder.path, 'lake')
    for (const args of [
      ['sessions', '--session', id, '--out', saved],
      ['backup', '--out', backup],
      ['sync', join(lake, 'of', 'today')],
    ]) {
      const run = spawnSync('sh', ['-c', 'umask 022; exec "$0" "$@"', process.execPath, cli, ...args], {
        env: { ...process.env, TAPEDECK_HOME: home, NODE_OPTIONS: '' },
        encoding: 'utf8',
      })
      if (args[0] !== 'sync') expect(run.stderr).toBe('')
      expect(run.status).toBe(0)
    }
    expect(modeOf(saved)).toBe('644')
    const dataset = readdirSync(lake, { recursive: true, withFileTypes: true })
    expect(dataset.some((entry) => entry.name === 'symbol=BTC-USD')).toBe(true)
    expect(modeOf(lake)).toBe('755')
    for (const entry of dataset.filter(({ name }) => name !== '_lock')) {
      const mode = entry.isDirectory() ? '755' : '644'
      expect([entry.name, modeOf(join(entry.parentPath, entry.name))]).toEqual([entry.name, mode])
    }
    // A backup holds everything that the home holds.
    expect([backup, join(backup, 'tapedeck.db'), join(backup, 'backup.json')].map(modeOf)).toEqual([
      '700',
      '600',
      '600',
    ])
    expect(modeOf(home)).toBe('700')
    for (const entry of readdirSync(home, { recursive: true, withFileTypes: true })) {
      expect([entry.name, modeOf(join(entry.parentPath, entry.name))]).toEqual([
        entry.name,
        entry.isFile() ? '600' : '700',
      ])
    }
  }, 60_000)

  test('of --home are new ones, and a folder that was there stays as it was', () => {
    const made = join(folder.path, 'made', 'home')
    chmodSync(home, 0o755)
    writeFileSync(join(home, 'settings.json'), '{}')
    for (const path of [made, home]) {
      const args = ['config', 'appearance.theme', 'light', '--home', path]
      const run = spawnSync('sh', ['-c', 'umask 022; exec "$0" "$@"', process.execPath, cli, ...args], {
        encoding: 'utf8',
      })
      expect([run.stderr, run.status]).toEqual(['', 0])
    }
    expect([join(folder.path, 'made'), made, join(made, 'settings.json')].map(modeOf)).toEqual(['700', '700', '600'])
    expect(modeOf(home)).toBe('755')
  }, 60_000)

  test('what is shared on purpose, linked or not a home of ours stays as it is', () => {
    const outside = join(folder.path, 'outside')
    writeFileSync(outside, '')
    chmodSync(outside, 0o644)
    writeFileSync(join(home, 'settings.json'), '{}')
    symlinkSync(outside, join(home, 'link'))
    mkdirSync(join(home, 'chromium'))
    chmodSync(join(home, 'chromium'), 0o755)
    chmodSync(home, 0o2775)
    tightenHome(home)
    expect(modeOf(home)).toBe('2775')
    chmodSync(home, 0o1777)
    tightenHome(home)
    expect(modeOf(home)).toBe('1777')
    chmodSync(home, 0o755)
    tightenHome(home)
    expect([home, outside, join(home, 'chromium')].map(modeOf)).toEqual(['700', '644', '755'])
    const foreign = join(folder.path, 'foreign')
    mkdirSync(foreign)
    chmodSync(foreign, 0o755)
    tightenHome(foreign)
    expect(modeOf(foreign)).toBe('700')
    writeFileSync(join(foreign, 'hosts'), '')
    for (const path of [foreign, join(foreign, 'hosts')]) {
      chmodSync(path, 0o755)
      tightenHome(path)
      expect(modeOf(path)).toBe('755')
    }
    const own = modeOf(homedir())
    tightenHome(homedir())
    expect(modeOf(homedir())).toBe(own)
    tightenHome(join(folder.path, 'none'))
    expect(existsSync(join(folder.path, 'none'))).toBe(false)
  })
})
