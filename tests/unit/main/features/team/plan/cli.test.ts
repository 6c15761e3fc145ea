import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { runCommandLine } from '../../../../../../src/main/hosts/cli/run.ts'
import { makeFolder } from '../../../../../kit/folder.ts'
import { hasNatsServer, isOldNatsServer, startNatsServer, type NatsServer } from '../../../../../kit/nats-server.ts'
import { commandContext } from '../../../hosts/cli/context.ts'

async function plan(...args: string[]) {
  const context = commandContext()
  const code = await runCommandLine(['plan', ...args], context)
  return { code, out: context.output(), err: context.errors() }
}
const symbols = (count: number): string =>
  `crypto/XT:${Array.from({ length: count }, (_, at) => `S${at}-USD`).join(',')}`

interface Printed {
  readonly revision: number | null
  readonly shards: readonly { readonly connections: number; readonly symbols: Record<string, string[]> }[]
  readonly pins: readonly unknown[]
  readonly moves: readonly { readonly to: number | null }[]
}
const read = (text: string): Printed => JSON.parse(text) as Printed // as --json prints it

describe('tapedeck plan', () => {
  it('takes as few shards as the symbols need, and prints how full they are', async () => {
    const { code, out, err } = await plan('--team', 'eu', '--feed', symbols(100), '--feed', 'forex/C:C:EURUSD')
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(
      /^shard {2}connections {2}crypto\/XT {2}forex\/C\n {4}1 {12}1 {6}50\/50 {5}[01]\/50\n {4}2 .*\n$/,
    )
  })

  it('reads symbols from a file, connections of one account, and pins', async () => {
    const file = join(makeFolder('plan'), 'symbols.txt')
    writeFileSync(file, `# majors\n${symbols(60)}\n\nforex/C:C:EURUSD # euro\r\n`)
    const args = ['--file', file, '--shards', '2', '--connections', '1', '--connections', '2=3', '--json']
    const { out } = await plan('--team', 'eu', ...args, '--pin', 'crypto/XT:X:S1USD=2')
    const { shards, pins } = read(out)
    expect(shards.map(({ connections }) => connections)).toEqual([1, 3])
    expect(shards.flatMap(({ symbols: own }) => own['crypto/XT'] ?? [])).toHaveLength(60)
    expect(shards[1].symbols['crypto/XT']).toContain('S1-USD')
    expect(pins).toEqual([{ feed: 'crypto/XT', symbol: 'X:S1USD', shard: 2 }])
  })

  it.each([
    [[], 'name the team with --team'],
    [['--team', 'eu'], 'name symbols with --feed or --file; the team has no plan yet'],
    [['--team', 'eu', '--feed', 'crypto/XT:A', '--write'], '--write needs the team’s servers'],
    [['--team', 'eu', '--feed', symbols(51), '--shards', '1'], 'crypto/XT has 51 symbols, and 1 shard can carry 50.'],
    [['--team', 'eu', '--feed', 'crypto/XT:A', '--connections', 'two'], '--connections takes N or SHARD=N'],
    [['--team', 'eu', '--feed', 'crypto/XT:A', '--connections', '2=1'], '--connections names shard 2 of 1'],
    [['--team', 'eu', '--feed', 'crypto/XT:A', '--pin', 'crypto/XT:A'], '--pin takes FEED:SYMBOL=SHARD'],
    [['--team', 'eu', '--feed', 'crypto/XT:A', '--pin', 'crypto/XT:B=1'], 'which isn’t in the plan'],
    [['--team', 'eu', '--feed', 'crypto/XT:A', '--pin', 'crypto/XT:A,B=1'], '--pin takes one symbol'],
    [['--team', 'eu', '--feed', 'crypto/XT:A', '--unpin', 'crypto/XT:A'], 'crypto/XT:A isn’t pinned'],
    [['--team', 'eu', '--file', '/nowhere/symbols.txt'], 'couldn’t read the file of --file'],
    [['--team', 'eu', '--feed', 'bonds/X:A'], 'unknown feed "bonds/X"'],
    [['--team', 'eu', '--upstream', 'nats://a:secret@b'], 'leave the password out of the NATS URL'],
  ])('refuses %j', async (args, message) => {
    const { code, out, err } = await plan(...args)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(message)
  })
})

describe.skipIf(!hasNatsServer)('tapedeck plan on NATS [needs nats-server]', () => {
  let server: NatsServer
  beforeAll(async () => {
    server = await startNatsServer()
  })
  const upstream = () => ['--team', 'eu', '--upstream', server.url, '--allow-old-nats']

  it('writes a plan, and changes it with few moves', async () => {
    const dry = await plan(...upstream(), '--feed', symbols(40))
    expect([dry.code, dry.out]).toEqual([0, expect.stringContaining('Not written. Add --write.')])
    expect((await plan(...upstream())).err).toContain('the team has no plan yet')

    const first = read((await plan(...upstream(), '--feed', symbols(80), '--write', '--json')).out)
    expect([first.revision, first.shards.length, first.moves.length]).toEqual([1, 2, 80])
    const same = await plan(...upstream(), '--write')
    expect(same.out).toContain('No symbol moves.\nWritten as revision 2.\n')
    const third = read((await plan(...upstream(), '--shards', '3', '--write', '--json')).out)
    expect(new Set(third.moves.map(({ to }) => to))).toEqual(new Set([3]))
    expect((await plan(...upstream(), '--json')).out).toContain('"moves":[]')
  })

  it.runIf(isOldNatsServer)('says what it can’t reach or read', async () => {
    const wrong = await plan('--team', 'eu', '--upstream', server.url, '--feed', 'crypto/XT:A')
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('is too old: a team needs 2.11 or newer')])
  })
})
