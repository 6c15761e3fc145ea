/** Commands that record leave the whole session in the database file: it may be copied alone. */
import { copyFileSync, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { systemClock } from '../../../../../src/main/base/clock.ts'
import { runCommandLine } from '../../../../../src/main/hosts/cli/run.ts'
import { store as storeFeature } from '../../../../../src/main/core/store/feature.ts'
import { openTerminal } from '../../../../../src/main/hosts/open-terminal.ts'
import { commandContext } from './context.ts'
import { makeFolder } from '../../../../kit/folder.ts'

let home: string
beforeEach(() => {
  home = makeFolder('closed')
})

const store = () => join(home, 'tapedeck.db')
const logBytes = (): number => statSync(`${store()}-wal`, { throwIfNoEntry: false })?.size ?? 0

async function verifyCopy(): Promise<unknown> {
  const alone = join(home, 'alone.db')
  copyFileSync(store(), alone)
  const context = commandContext({ dataDir: home })
  expect(await runCommandLine(['verify', '--store', alone, '--json'], context)).toBe(0)
  return JSON.parse(context.output())
}

it('record: the copied file verifies with every message of the report', async () => {
  const context = commandContext({ dataDir: home })
  const args = ['record', '--demo', '--feed', 'crypto/XT:BTC-USD', '--duration', '2s', '--json']
  expect(await runCommandLine(args, context)).toBe(0)
  expect(logBytes()).toBe(0)
  const { feeds } = JSON.parse(context.output()) as { feeds: { stored: number }[] }
  expect(feeds[0]?.stored).toBeGreaterThan(0)
  expect(await verifyCopy()).toMatchObject({ sessions: 1, messages: feeds[0]?.stored, ok: true })
})

it.each(['electron', 'browser', 'cli'] as const)(
  'a terminal of host %s leaves no log beside the file',
  async (host) => {
    const { workers, demoData } = commandContext()
    const terminal = await openTerminal({
      dataDir: home,
      host,
      version: '0.0.0',
      workers,
      demoData,
      memoryKeychain: true,
      source: 'demo',
      record: true,
      clock: systemClock,
    })
    terminal.want('crypto/XT', ['BTC-USD'])
    await expect.poll(() => terminal.status().stored, { timeout: 20_000 }).toBeGreaterThan(0)
    expect((await terminal.service(storeFeature).reader.sessions(true)).length).toBe(1) // the reader has the store open
    await terminal.close()
    expect(existsSync(`${store()}-wal`)).toBe(false)
    expect(await verifyCopy()).toMatchObject({ sessions: 1, ok: true })
  },
)
