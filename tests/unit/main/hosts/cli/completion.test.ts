import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { runCommandLine } from '../../../../../src/main/hosts/cli/run.ts'
import { COMMANDS, COMMON_OPTIONS } from '../../../../../src/main/hosts/cli/table.ts'
import { EXPORT_FORMATS } from '../../../../../src/shared/features/export/export.ts'
import { openStoreWriter } from '../../../../../src/main/core/store/open.ts'
import { commandContext } from './context.ts'
import { makeFolder } from '../../../../kit/folder.ts'

let folder: string
beforeAll(() => {
  folder = makeFolder('line')
})

async function line(...args: string[]) {
  const context = commandContext({ dataDir: folder })
  const code = await runCommandLine(args, context)
  return { code, out: context.output(), err: context.errors() }
}
const script = async (shell: string) => (await line('completion', shell)).out

describe('completion', () => {
  /** What bash offers for a line of words, the last of them begun. */
  async function offered(...words: string[]): Promise<string[]> {
    const run = `${await script('bash')}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _tapedeck; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout, stderr } = spawnSync('bash', ['-c', run], { encoding: 'utf8' })
    expect(stderr).toBe('')
    return stdout.split('\n').filter(Boolean)
  }

  it('offers commands, options and values that the table has', async () => {
    expect(await offered('tapedeck', '')).toEqual([...COMMANDS.map(({ name }) => name), 'help'])
    expect(await offered('tapedeck', 'export', '--form')).toEqual(['--format'])
    expect(await offered('tapedeck', 'export', '--format', '')).toEqual(EXPORT_FORMATS)
    expect(await offered('tapedeck', 'export', '--feed', 'forex/C')).toEqual(['forex/C', 'forex/CA', 'forex/CAS'])
    expect(await offered('tapedeck', 'export', '-f', 'forex/C')).toEqual(['forex/C', 'forex/CA', 'forex/CAS'])
    expect(await offered('tapedeck', 'export', '-o', `${folder.slice(0, -1)}`)).toEqual([folder])
    expect(await offered('tapedeck', 'help', 'exp')).toEqual(['export'])
    expect(await offered('tapedeck', 'verify', '')).toEqual(
      expect.arrayContaining(Object.keys(COMMON_OPTIONS).map((name) => `--${name}`)),
    )
    expect(await offered('tapedeck', 'import', `${folder.slice(0, -1)}`)).toEqual([folder])
  })

  it('names every option of every command for every shell', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const text = await script(shell)
      // By both spellings.
      expect(text).toContain({ bash: '--feed|-f)', zsh: '{-f,--feed}', fish: '-l feed -s f' }[shell])
      for (const { name, load } of COMMANDS) {
        const { options } = await load()
        expect(text).toContain(name)
        for (const option of Object.keys(options))
          expect(text).toContain(shell === 'fish' ? `-l ${option}` : `--${option}`)
      }
    }
    expect((await line('completion', 'csh')).code).toBe(2)
  })
})

it('gives an example of each command that help shows, with options that there are', async () => {
  for (const { name, load } of COMMANDS) {
    const { options, examples = [] } = await load()
    const { out } = await line(name, '--help')
    for (const [what, args] of examples) {
      expect(out).toContain(what)
      for (const [, option = ''] of args.matchAll(/--([a-z-]+)/g)) {
        expect(Object.keys({ ...options, ...COMMON_OPTIONS })).toContain(option)
      }
    }
  }
})

describe('import', () => {
  const table = () => {
    const path = join(folder, 'trades.csv')
    writeFileSync(path, 'when,ticker,price,qty\n2026-01-05 09:30:00,AAPL,187.12,100\n')
    return path
  }

  it('reads a table as its options say, and refuses it a second time', async () => {
    const args = ['import', table(), '--feed', 'stocks/T', '--zone', 'America/New_York', '--map', 'when=time', '--json']
    const first = await line(...args)
    expect([first.code, first.err]).toEqual([0, ''])
    expect(JSON.parse(first.out)).toMatchObject({ messages: 1 })
    expect(await line(...args)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('already in the store') as string,
    })
    expect((await line('verify')).out).toContain('1 session, 1 message: all as recorded')
  })

  it('says which option is missing or wrong', async () => {
    expect((await line('import', table())).err).toContain('name the feed of its rows with --feed')
    expect((await line('import', table(), '--feed', 'stocks/T', '--map', 'x=time')).err).toContain('no column "x"')
    expect((await line('import', table(), '--feed', 'stocks/T', '--map', 'when=moon')).err).toContain('COLUMN=FIELD')
    expect((await line('import')).code).toBe(2)
    expect(await line('import', join(folder, 'none.csv'))).toMatchObject({ code: 1 })
  })

  it('leaves a store alone that Tapedeck is writing', async () => {
    const file = join(folder, 'held.db')
    const writer = await openStoreWriter({ file })
    const { code, err } = await line('import', table(), '--feed', 'stocks/T', '--map', 'when=time', '--store', file)
    await writer.close()
    expect(code).toBe(1)
    expect(err).toMatch(/^tapedeck: .+\.\n$/)
  })
})
