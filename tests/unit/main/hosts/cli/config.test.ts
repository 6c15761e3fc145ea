import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { lockStore } from '../../../../../src/main/core/store/schema/lock.ts'
import { runCommandLine } from '../../../../../src/main/hosts/cli/run.ts'
import { makeFolder } from '../../../../kit/folder.ts'
import { commandContext } from './context.ts'

let home: string
beforeEach(() => {
  home = makeFolder('config')
})
async function run(...args: string[]) {
  return runIn(home, ...args)
}
async function runIn(dataDir: string, ...args: string[]) {
  const context = commandContext({ dataDir })
  const code = await runCommandLine(args, context)
  return { code, out: context.output(), err: context.errors() }
}
const saved = (): unknown => JSON.parse(readFileSync(join(home, 'settings.json'), 'utf8'))

describe('config', () => {
  it('lists every setting, and prints one', async () => {
    const { code, out } = await run('config')
    expect(code).toBe(0)
    expect(out).toContain('recording.enabled = true\n')
    expect(out).toMatch(/^research\./m)
    expect(await run('config', 'recording.enabled')).toMatchObject({ code: 0, out: 'true\n' })
    expect(JSON.parse((await run('config', 'recording.enabled', '--json')).out)).toEqual({
      schema: 'tapedeck/setting/1',
      key: 'recording.enabled',
      value: true,
    })
    expect(existsSync(join(home, 'settings.json'))).toBe(false)
  })

  it('changes one and leaves the others, also what it does not know', async () => {
    mkdirSync(home, { recursive: true })
    writeFileSync(join(home, 'settings.json'), '{"future":{"a":1}}')
    expect(await run('config', 'account.allowSharding', 'true')).toMatchObject({ code: 0, out: 'true\n' })
    expect(saved()).toMatchObject({ account: { allowSharding: true }, future: { a: 1 }, recording: { enabled: true } })
  })

  it.each([
    [['recording.enabeld'], 'Did you mean recording.enabled?'],
    [['nothing'], '"tapedeck config" lists them.'],
    [['account.allowSharding', 'perhaps'], 'tapedeck: perhaps isn’t a valid value of account.allowSharding.\n'],
    [['account', '{}'], 'account is a section: name one of its settings, such as account.source'],
    [['zone', 'Europe/Nowhere'], 'tapedeck: Europe/Nowhere isn’t a valid value of zone.\n'],
    [['numbers', 'not a locale'], 'tapedeck: not a locale isn’t a valid value of numbers.\n'],
    [['watchlists', '[1]'], 'isn’t a valid value of watchlists.\n'],
    [['a', 'b', 'c'], 'config takes a key and a value'],
    [['', 'b'], 'argument 1 is empty'],
  ])('refuses %j', async (args, message) => {
    const { code, out, err } = await run('config', ...args)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(message)
    expect(existsSync(join(home, 'settings.json'))).toBe(false)
  })

  it('changes one that is in no section', async () => {
    expect(await run('config', 'zone', 'Europe/Berlin')).toMatchObject({ code: 0, out: 'Europe/Berlin\n' })
    expect(saved()).toMatchObject({ zone: 'Europe/Berlin', recording: { enabled: true } })
    const lists = [{ id: 'a', name: 'A', symbols: [], sort: null }]
    expect(await run('config', 'watchlists', JSON.stringify(lists))).toMatchObject({ code: 0 })
    expect(saved()).toMatchObject({ zone: 'Europe/Berlin', watchlists: lists })
  })

  it('doesn’t change the version of the settings file', async () => {
    const { code, err } = await run('config', 'version', '2')
    expect([code, err]).toEqual([1, 'tapedeck: version can’t be changed here. It is that of the settings file.\n'])
  })

  it('doesn’t call a value invalid that the disk refuses', async () => {
    mkdirSync(join(home, `settings.json.${process.pid}.tmp`), { recursive: true }) // where the new file would be written
    const { code, out, err } = await run('config', 'account.allowSharding', 'true')
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(/^tapedeck: Couldn’t save the settings\. /)
  })

  it('takes an empty value', async () => {
    await run('config', 'recording.storePath', join(home, 'other.db'))
    expect(await run('config', 'recording.storePath', '')).toMatchObject({ code: 0, out: '\n' })
  })

  it('redirects no account, and writes nothing while a Tapedeck is running', async () => {
    expect(await run('config', 'account.baseUrl', 'https://evil.example')).toMatchObject({
      code: 1,
      err: expect.stringContaining('tapedeck login') as unknown,
    })
    const lock = lockStore(join(home, 'tapedeck.db'))
    const busy = await run('config', 'account.allowSharding', 'true')
    lock.release()
    expect([busy.code, busy.out]).toEqual([1, ''])
    expect(existsSync(join(home, 'settings.json'))).toBe(false)
  })
})

describe('doctor', () => {
  it('checks a fresh computer without writing anything', async () => {
    const { code, out } = await run('doctor', '--json')
    const checks = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { check: string; result: string })
    expect(code).toBe(0)
    expect(checks.map(({ check }) => check)).toEqual([
      'program',
      'folder',
      'settings',
      'account',
      'store',
      'disk',
      'crashes',
    ])
    expect(checks.find(({ check }) => check === 'account')).toMatchObject({ result: 'warn' })
    expect(existsSync(join(home, 'tapedeck.db'))).toBe(false)
    expect((await runIn(join(home, 'not', 'yet'), 'doctor')).out).toMatch(/^ok +folder /m)
    expect(readdirSync(home)).toEqual([])
  })

  it('fails for a home that is a file, below a file or a link to nothing', async () => {
    writeFileSync(join(home, 'file'), '')
    symlinkSync(join(home, 'nowhere', 'x'), join(home, 'link'))
    for (const path of ['file', 'file/x', 'link', 'link/x']) {
      const { code, out } = await runIn(join(home, path), 'doctor')
      expect(code).toBe(1)
      expect(out).toMatch(/^fail +folder +\S+\/(file|link) isn’t a folder\./m)
      // What would be in it is neither good nor bad.
      for (const check of ['settings', 'account', 'store', 'disk', 'crashes'])
        expect(out).toMatch(new RegExp(`^fail +${check} +Not checked: see folder\\.$`, 'm'))
    }
  })

  it.runIf(process.platform === 'linux')('fails for a home where no folder can be made [needs linux]', async () => {
    const { code, out } = await runIn('/proc/tapedeck/home', 'doctor')
    expect(code).toBe(1)
    expect(out).toMatch(/^fail +folder +\/proc\/tapedeck\/home can’t be created\. Use --home/m)
  })

  it.runIf(process.platform === 'linux')(
    'doesn’t wait for a named pipe in place of settings or store [needs linux]',
    async () => {
      for (const name of ['settings.json', 'tapedeck.db']) execFileSync('mkfifo', [join(home, name)])
      const { code, out } = await run('doctor')
      expect(code).toBe(1)
      expect(out).toMatch(/^fail +settings +settings\.json can’t be read/m)
      expect(out).toMatch(/^fail +store +.* isn’t a file, so it can’t be a store\./m)
      expect(await run('record', '--demo', '-f', 'crypto/XT:BTC-USD')).toMatchObject({
        code: 1,
        err: expect.stringContaining('isn’t a file, so it can’t be a store.') as unknown,
      })
    },
  )

  it('fails for a store that is none and for settings that can’t be read, and keeps both', async () => {
    mkdirSync(home, { recursive: true })
    writeFileSync(join(home, 'tapedeck.db'), 'x'.repeat(8_192))
    writeFileSync(join(home, 'settings.json'), '{')
    const { code, out } = await run('doctor')
    expect(code).toBe(1)
    expect(out).toMatch(/^fail +store +/m)
    expect(out).toMatch(/^fail +settings +/m)
    expect(readFileSync(join(home, 'settings.json'), 'utf8')).toBe('{')
  })
})
