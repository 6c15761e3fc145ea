/** `record --team-shard auto` against a real nats-server and the demo market. */
import { beforeAll, describe, expect, it } from 'vitest'
import { runCommandLine } from '../../../../../src/main/hosts/cli/run.ts'
import { readTeamName, type TeamName } from '../../../../../src/main/features/team/names.ts'
import { connectTeam } from '../../../../../src/main/features/team/nats/connect.ts'
import { readNatsTarget } from '../../../../../src/main/features/team/nats/target.ts'
import type { TeamLog } from '../../../../../src/main/features/team/nats/team-log.ts'
import { readReports } from '../../../../../src/main/features/team/reports/report.ts'
import { makeFolder } from '../../../../kit/folder.ts'
import { hasNatsServer, startNatsServer, type NatsServer } from '../../../../kit/nats-server.ts'
import { commandContext } from './context.ts'

const refuse = async (...args: string[]) => {
  const context = commandContext()
  return [await runCommandLine(['record', '--demo', ...args], context), context.errors()]
}

it.each([
  [['--team-shard', 'auto'], '--team-shard needs --publish'],
  [['--team-shard', 'auto', '--publish', 'nats://a', '--team', 'eu', '--feed', 'crypto/XT:A'], 'leave out --feed'],
  [['--team-shard', 'some', '--publish', 'nats://a', '--team', 'eu', '--feed', 'crypto/XT:A'], 'such as 2/5, or auto'],
])('refuses %j', async (args, message) => {
  expect(await refuse(...args)).toEqual([2, expect.stringContaining(message)])
})

describe.skipIf(!hasNatsServer)('record --team-shard auto [needs nats-server]', { timeout: 60_000 }, () => {
  let server: NatsServer
  let log: TeamLog
  beforeAll(async () => {
    server = await startNatsServer()
    const team = readTeamName('eu') as TeamName // it is a name
    log = await connectTeam({ target: readNatsTarget(server.url, {}, {}), team, name: 'test', allowOld: true })
    return () => log.close()
  })
  const reach = () => ['--team', 'eu', '--allow-old-nats']
  const writePlan = async (symbols: string, url = server.url, connections = '1'): Promise<void> => {
    const context = commandContext()
    const args = ['plan', ...reach(), '--upstream', url, '--feed', `crypto/XT:${symbols}`, '--connections', connections, '--write'] // oxfmt-ignore
    expect([await runCommandLine(args, context), context.errors()]).toEqual([0, ''])
  }
  const startRecorder = (name: string, url = server.url) => {
    const stop = new AbortController()
    const context = commandContext({ dataDir: makeFolder(name), signal: stop.signal })
    const args = ['record', '--demo', '--publish', url, ...reach(), '--recorder-name', name, '--team-shard', 'auto']
    const code = runCommandLine([...args, '--json', '--metrics', '0'], context)
    const scrape = async (): Promise<string> => {
      const url = /Metrics: ([^\s"]+)/.exec(context.errors())?.[1]
      return url === undefined ? '' : (await fetch(url)).text()
    }
    return { code, context, scrape, stop: () => stop.abort('terminate') }
  }

  it('waits for a plan, records a shard of it, and leaves it to the recorder in standby', async () => {
    const first = startRecorder('first')
    await expect.poll(() => first.context.errors(), { timeout: 10_000 }).toContain('The team has no plan yet.')
    await writePlan('BTC-USD,ETH-USD')
    await expect.poll(() => first.context.errors(), { timeout: 10_000 }).toContain('Recording shard 1 of team eu')
    const second = startRecorder('second')
    await expect.poll(() => second.context.errors(), { timeout: 10_000 }).toContain('Waiting in standby.')
    const reports = async () =>
      (await readReports(log.bucket('reports'))).map((one) => (one.role === 'recorder' ? [one.name, one.shard] : []))
    await expect.poll(async () => new Set(await reports()), { timeout: 10_000 }).toEqual(new Set([['first', 1], ['second', null]])) // oxfmt-ignore
    // The plan changes while it is recorded.
    await writePlan('BTC-USD,SOL-USD')
    const lastSeq = async () => Math.max(...(await log.sessions()).map(({ end }) => end?.lastSeq ?? 0))
    await expect.poll(async () => (await log.sessions()).length, { timeout: 10_000 }).toBe(1)
    const [{ session }] = await log.sessions()
    const sequence = async () => (await log.lastOf(1, session))?.sequence ?? 0
    const before = await sequence()
    await expect.poll(sequence, { timeout: 10_000 }).toBeGreaterThan(before + 2)
    const { epoch } = (await log.sessions())[0]
    expect(await first.scrape()).toMatch(
      new RegExp(`^tapedeck_team_lease_epoch\\{team="eu",role="recorder",shard="1"\\} ${epoch}$`, 'm'),
    )
    expect(await first.scrape()).toMatch(
      new RegExp(`^tapedeck_team_published_seq\\{.*,shard="1",session="${session}"\\} [1-9]\\d*$`, 'm'),
    )
    expect(await second.scrape()).toContain('tapedeck_recording{} 0')

    first.stop()
    // It would fail if a symbol of the new plan had never been confirmed.
    expect(await first.code).toBe(0)
    expect(await lastSeq()).toBeGreaterThan(0)
    await expect.poll(() => second.context.errors(), { timeout: 20_000 }).toContain('Recording shard 1 of team eu')
    await expect.poll(async () => (await log.sessions()).length, { timeout: 10_000 }).toBe(2)
    // The first ones hold the connection and what it confirmed, without which its code would be 1.
    const next = (await log.sessions()).find((one) => one.session !== session)?.session ?? session
    const published = async () => (await log.lastOf(1, next))?.sequence ?? 0
    const begun = await published()
    await expect.poll(published, { timeout: 10_000 }).toBeGreaterThan(begun + 10)
    second.stop()
    expect(await second.code).toBe(0)
    expect(await reports()).toEqual([])
    const [a, b] = (await log.sessions()).toSorted((x, y) => x.startedMs - y.startedMs)
    expect([a.recorder, a.shard, a.shards, b.recorder, b.shard]).toEqual(['first', 1, 1, 'second', 1])
    expect([a.epoch > 0, b.epoch > a.epoch, a.end !== null, b.end !== null]).toEqual([true, true, true, true])
    const { feeds } = JSON.parse(first.context.output()) as { feeds: { feed: string; stored: number }[] }
    expect(feeds).toMatchObject([{ feed: 'crypto/XT' }])
  })

  it('opens another connection once the plan allows it', async () => {
    const own = await startNatsServer()
    await writePlan('BTC-USD', own.url)
    const recorder = startRecorder('growing', own.url)
    const symbolsOf = async (): Promise<string | undefined> =>
      /^tapedeck_feed_symbols\{feed="crypto\/XT"\} (\d+)$/m.exec(await recorder.scrape())?.[1]
    await expect.poll(symbolsOf, { timeout: 15_000 }).toBe('1')
    const symbols = ['BTC-USD', ...Array.from({ length: 59 }, (_, i) => `S${i}-USD`)]
    await writePlan(symbols.join(), own.url, '2')
    await expect.poll(symbolsOf, { timeout: 15_000 }).toBe('60')
    recorder.stop()
    expect(await recorder.code).toBe(0)
    expect(recorder.context.errors()).not.toContain('no room for')
  })

  it('records on while NATS is away, and takes its lease again', async () => {
    const own = await startNatsServer()
    const context = commandContext()
    const plan = ['plan', ...reach(), '--upstream', own.url, '--feed', 'crypto/XT:BTC-USD', '--write']
    expect(await runCommandLine(plan, context)).toBe(0)
    const recorder = startRecorder('alone', own.url)
    const { errors } = recorder.context
    await expect.poll(errors, { timeout: 10_000 }).toContain('Recording shard 1 of team eu')
    await own.kill()
    await expect.poll(errors, { timeout: 15_000 }).toContain('couldn’t be renewed. Recording continues.')
    await own.start()
    await expect.poll(errors, { timeout: 20_000 }).toContain('Holding the lease of shard 1 of team eu again.')
    // Over a connection of its own.
    await expect.poll(errors, { timeout: 20_000 }).toContain('Publishing to the team eu has resumed.')
    recorder.stop()
    expect(await recorder.code).toBe(0)
    const report = JSON.parse(recorder.context.output()) as {
      feeds: { gap_count: number }[]
      team: { unfinished: number }
    }
    expect([report.feeds[0]?.gap_count, report.team.unfinished]).toEqual([0, 0])
    const team = readTeamName('eu') as TeamName // it is a name
    const log = await connectTeam({ target: readNatsTarget(own.url, {}, {}), team, name: 'test', allowOld: true })
    const sessions = await log.sessions()
    await log.close()
    expect(sessions).toHaveLength(1)
  })
})
