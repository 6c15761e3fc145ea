/** An import into a store that can't grow: it ends with a sentence instead of waiting for room. */
import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { openLocalReader } from '../../../../../src/main/core/store/threads/reader.ts'
import { makeFolder } from '../../../../kit/folder.ts'

const CLI = fileURLToPath(new URL('../../../../../src/main/cli.ts', import.meta.url))

it.skipIf(process.platform === 'win32')(
  'fails, leaves the store as it was, and works once there is room',
  async () => {
    const home = makeFolder('full')
    const run = (limit: string, ...args: string[]) =>
      spawnSync(
        '/bin/sh',
        ['-c', `ulimit -f ${limit} && exec "$0" "$@"`, process.execPath, CLI, ...args, '--home', home],
        {
          encoding: 'utf8',
          // Instead of waiting for room for ever.
          timeout: 120_000,
        },
      )
    const table = (name: string, rows: number): string => {
      const lines = Array.from({ length: rows }, (_, i) => `${1_700_000_000_000 + i},BTC-USD,${i}.5,1`)
      const file = join(makeFolder('table'), name)
      writeFileSync(file, `time,symbol,price,size\n${lines.join('\n')}\n`)
      return file
    }
    const stored = async () => {
      const reader = openLocalReader(join(home, 'tapedeck.db'))
      const messages = (await reader.sessions()).map((session) => session.messages)
      const { problems } = await reader.verify(null)
      await reader.close()
      return { messages: messages.toSorted((a, b) => a - b), problems }
    }
    const large = table('large.csv', 20_000)
    expect(run('unlimited', 'import', table('small.csv', 10), '--feed', 'crypto/XT').status).toBe(0)
    // No file may become larger than 512 KiB (or 1 MiB, where the shell counts in KiB): less than the import's log.
    const { status, stdout, stderr } = run('1024', 'import', large, '--feed', 'crypto/XT')
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^tapedeck: The disk that holds the store .+ reported an error\. Check the disk\.\n$/)
    expect(await stored()).toEqual({ messages: [10], problems: [] })
    expect(run('unlimited', 'import', large, '--feed', 'crypto/XT').status).toBe(0)
    expect(await stored()).toEqual({ messages: [10, 20_000], problems: [] })
    // One session after the other, until there is no room for the next.
    const lines = Array.from({ length: 20_000 }, (_, i) => ({
      feed: 'crypto/XT',
      symbol: 'A',
      recv_ms: 1_700_000_000_000 + i,
      seq: 1 + (i % 100),
      raw: `{"ev":"XT","pair":"BTC-USD","p":${i}.5,"s":1,"t":${1_700_000_000_000 + i},"x":1}`,
    }))
    const sessions = join(makeFolder('table'), 'sessions.jsonl')
    writeFileSync(sessions, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    expect(run('1024', 'import', sessions)).toMatchObject({ status: 1, stdout: '' })
    expect(await stored()).toEqual({ messages: [10, 20_000], problems: [] })
    expect(run('unlimited', 'import', sessions).status).toBe(0)
    expect((await stored()).messages).toEqual([10, ...Array.from({ length: 200 }, () => 100), 20_000])
    rmSync(home, { recursive: true })
  },
  500_000,
)
