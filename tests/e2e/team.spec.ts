/** A team: one process records and publishes, terminals elsewhere follow, lose the servers or sleep, replay and export. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Locator } from '@playwright/test'
import { line, violationsByLook } from './accessibility.ts'
import { appEnv, CLI, ended, pinnedNode, ROOT, runCli } from './app.ts'
import { expect, test } from './fixtures.ts'
import { Screen } from './screen.ts'
import type { SimulatorProcess } from './simulator.ts'
import { BROWSER_ONLY } from './tags.ts'

const SERVER = process.env.TAPEDECK_NATS_SERVER ?? 'nats-server'
const hasNatsServer = spawnSync(SERVER, ['--version']).status === 0

/** A nats-server that keeps its port and its disk when it is ended and started again. */
class Nats {
  readonly #folder: string
  readonly #port: number
  #child: ChildProcess | null = null

  private constructor(folder: string, port: number) {
    this.#folder = folder
    this.#port = port
  }

  static async start(folder: string): Promise<Nats> {
    await mkdir(join(folder, 'store'), { recursive: true })
    const probe = createServer().listen(0, '127.0.0.1')
    await once(probe, 'listening')
    const { port } = probe.address() as AddressInfo // it listens on a port
    probe.close()
    await once(probe, 'close')
    const config = `host: "127.0.0.1"\nport: ${port}\njetstream { store_dir: "${join(folder, 'store')}" }\n`
    await writeFile(join(folder, 'nats.conf'), config)
    const nats = new Nats(folder, port)
    await nats.start()
    return nats
  }

  get url(): string {
    return `nats://127.0.0.1:${this.#port}`
  }

  async start(): Promise<void> {
    const child = spawn(SERVER, ['-c', join(this.#folder, 'nats.conf')], { stdio: ['ignore', 'ignore', 'pipe'] })
    this.#child = child
    let said = ''
    await new Promise<void>((resolve, reject) => {
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        said += text
        if (said.includes('Server is ready')) resolve()
      })
      child.once('exit', () => reject(new Error(said)))
    })
  }

  async kill(): Promise<void> {
    const child = this.#child
    this.#child = null
    child?.kill('SIGKILL')
    if (child !== null) await ended(child, 'nats-server')
  }
}

/** One of two shards that are recorded, with its symbol. */
interface Shard {
  readonly shard: 1 | 2
  readonly symbol: string
}

/** Records the service in a home of its own, and publishes to team eu: everything, or a shard of two. */
async function startRecorder(
  simulator: SimulatorProcess,
  home: string,
  nats: Nats,
  part?: Shard,
): Promise<ChildProcess> {
  const env = appEnv(home, { TAPEDECK_PASSWORD: simulator.password, TAPEDECK_API_KEY: simulator.apiKey })
  const account = ['--base-url', simulator.baseUrl, '--user', simulator.username]
  const symbols = part?.symbol ?? 'BTC-USD,ETH-USD'
  const feeds = ['--feed', `crypto/XT:${symbols}`, '--feed', `crypto/XQ:${symbols}`]
  const name = part === undefined ? ['paris'] : [`r${part.shard}`, '--team-shard', `${part.shard}/2`]
  const team = ['--publish', nats.url, '--team', 'eu', '--allow-old-nats', '--recorder-name', ...name]
  const child = spawn(pinnedNode(), [CLI, 'record', ...account, ...feeds, ...team], {
    cwd: ROOT,
    env,
    stdio: 'ignore',
  })
  const trading = async () => (await simulator.sent()).connections.filter(({ market }) => market > 0).length
  await expect.poll(trading, { timeout: 60_000 }).toBe(part?.shard === 2 ? 4 : 2)
  return child
}

/** A terminal without a window that follows team eu. */
function followTeam(home: string, nats: Nats): ChildProcess {
  const args = ['serve', '--team', 'eu', '--upstream', nats.url, '--allow-old-nats']
  return spawn(pinnedNode(), [CLI, ...args], { cwd: ROOT, env: appEnv(home), stdio: 'ignore' })
}

interface ListedSession {
  readonly session: string
  readonly source: string
  readonly ended: string | null
  readonly messages: number
}

/** The sessions of the service or the team in the store of a home. */
async function copiesIn(home: string): Promise<readonly ListedSession[]> {
  const { out } = await runCli(['sessions', '--json'], home)
  const all = out.split('\n').flatMap((text) => (text === '' ? [] : [JSON.parse(text) as ListedSession])) // one a line
  return all.filter(({ source }) => /^(team|service):/.test(source))
}

/** The only one; undefined: there is none yet. */
const copyIn = async (home: string): Promise<ListedSession | undefined> => (await copiesIn(home)).at(0)

interface Digests {
  readonly messages: number
  readonly digest: string
}

/** What a replay of that session ends with, or of all sessions of a team as one. */
async function digestsIn(home: string, source?: string): Promise<Digests> {
  const what = source === undefined ? ['--session', (await copyIn(home))?.session ?? ''] : ['--source', source]
  const replay = await runCli(['replay', ...what, '--digest', '--json'], home)
  expect(replay.code, replay.err).toBe(0)
  return JSON.parse(replay.out.trim().split('\n').at(-1) ?? '{}') as Digests
}

test.describe('a team [needs nats-server]', () => {
  test.skip(!hasNatsServer, 'No nats-server was found. On Debian: apt-get install nats-server.')

  test('is joined, watched, lost and found; its session is replayed and exported', async ({
    open,
    home,
    simulator,
  }) => {
    test.setTimeout(180_000)
    const nats = await Nats.start(join(home, 'nats'))
    const recorderHome = join(home, 'recorder')
    const recorder = await startRecorder(simulator, recorderHome, nats)
    try {
      const { page } = await open()
      const screen = new Screen(page)
      const status = (text: string | RegExp): Locator => page.getByRole('button', { name: text })

      await screen.source().click()
      await page.getByRole('button', { name: 'Join a team' }).click()
      const settings = screen.dialog('Settings')
      await settings.getByLabel('Team name').fill('eu')
      await settings.getByLabel('NATS servers').fill(nats.url)
      await settings.getByRole('button', { name: 'Test connection' }).click()
      const refusal = settings.getByRole('list', { name: 'Test steps' })
      await expect(refusal).toContainText('is too old: a team needs 2.11 or newer')
      await settings.getByRole('checkbox', { name: /nats-server below 2\.11/ }).check()
      await settings.getByRole('button', { name: 'Test connection' }).click()
      await expect(refusal).toContainText('1 recorder of team eu: paris.')
      await settings.getByRole('button', { name: 'Join the team' }).click()
      await expect(settings.getByRole('button', { name: 'Leave the team' })).toBeVisible()
      await page.keyboard.press('Escape')

      await expect(screen.source(/Live from team eu/)).toBeVisible({ timeout: 30_000 })
      await screen.trades('BTC-USD')
      await expect(screen.row('SOL-USD')).toContainText('Not recorded by team eu')
      await status(/^Team: Team eu, .* behind/).click()
      await page.getByRole('button', { name: 'Show the team' }).click()
      const pane = page.locator('[data-pane="team"]')
      const recorded = pane.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'paris' }) })
      await expect(recorded).toContainText('live')
      await expect(pane.getByRole('region', { name: 'Recorders and history of team eu' })).toContainText('none')
      const violations = await violationsByLook(page, '[data-pane="team"]', ['dark', 'light', 'contrast'])
      expect(violations.flatMap(({ look, found }) => found.map((one) => line(look, one)))).toEqual([])

      await nats.kill()
      await expect(status('Team: Upstream lost: prices are aging')).toBeVisible({ timeout: 30_000 })
      await expect(screen.source(/Not connected to team eu/)).toBeVisible()
      await expect(pane).toContainText(/can’t be reached\.[\s\S]*The figures are from/)
      await expect(recorded).toContainText('lost')
      await expect(screen.row('BTC-USD').getByRole('rowheader', { name: /disconnected/ })).toBeVisible()
      await nats.start()
      await expect(screen.source(/Live from team eu/)).toBeVisible({ timeout: 45_000 })
      await screen.ticks('BTC-USD')
      await expect(recorded).toContainText('live')
      await expect(pane).not.toContainText('The figures are from')

      // Its end travels like everything else.
      recorder.kill('SIGINT')
      await once(recorder, 'exit')
      await page.keyboard.press('Alt+s')
      const sessions = page.getByRole('region', { name: 'Sessions' })
      // Beside it is the session of the demo market from before.
      await sessions.getByRole('searchbox', { name: 'Filter sessions' }).fill('team:')
      const row = sessions.getByRole('row').filter({ hasText: 'Closed' })
      await expect(row).toHaveCount(1, { timeout: 45_000 })
      await expect(row).not.toContainText('drop')
      await row.dblclick()
      await expect(screen.source(/This is a replay/)).toBeVisible()
      const dock = page.getByRole('region', { name: 'Replay' })
      await dock.getByRole('slider', { name: 'Replay position' }).press('End')
      await expect(screen.last('BTC-USD')).toHaveText(/\d/)
      await page.keyboard.press('Alt+e')
      const dialog = page.getByRole('dialog', { name: /^Export/ })
      await dialog.getByLabel('Folder').fill(home)
      await dialog.getByLabel('Name', { exact: true }).fill('trades.csv')
      await dialog.getByRole('button', { name: 'Export', exact: true }).click()
      await expect(dialog.locator('dd').filter({ hasText: /^[0-9a-f]{64}$/ })).toBeVisible()
      expect((await readFile(join(home, 'trades.csv'), 'utf8')).split('\n').length).toBeGreaterThan(2)

      // Two homes, two processes, the same session.
      const recordedThere = await digestsIn(recorderHome)
      expect(recordedThere.messages).toBeGreaterThan(10)
      expect(await digestsIn(home)).toEqual(recordedThere)
      const verified = await runCli(['verify'], home)
      expect(verified.code, verified.out).toBe(0)
    } finally {
      recorder.kill('SIGKILL')
      await nats.kill()
    }
  })

  test(
    'ends with equal copies in two terminals, of which one slept',
    { tag: BROWSER_ONLY },
    async ({ home, simulator }) => {
      test.setTimeout(120_000)
      const nats = await Nats.start(join(home, 'nats'))
      const recorderHome = join(home, 'recorder')
      const recorder = await startRecorder(simulator, recorderHome, nats)
      const homes = [join(home, 'awake'), join(home, 'asleep')] as const
      const terminals = homes.map((where) => followTeam(where, nats))
      try {
        const messages = async (where: string) => (await copyIn(where))?.messages ?? 0
        for (const where of homes) await expect.poll(() => messages(where), { timeout: 60_000 }).toBeGreaterThan(0)
        const [awake, asleep] = homes
        terminals[1]?.kill('SIGSTOP')
        const before = await messages(asleep)
        await expect.poll(() => messages(awake), { timeout: 60_000 }).toBeGreaterThan(before + 200)
        expect(await messages(asleep)).toBeLessThan(await messages(awake))
        terminals[1]?.kill('SIGCONT')
        recorder.kill('SIGINT')
        await once(recorder, 'exit')
        for (const where of homes) {
          await expect.poll(async () => (await copyIn(where))?.ended ?? null, { timeout: 60_000 }).not.toBeNull()
          expect((await runCli(['verify'], where)).code).toBe(0)
        }
        const [recorded, ...copied] = await Promise.all([recorderHome, ...homes].map((where) => digestsIn(where)))
        expect(recorded?.messages).toBeGreaterThan(before + 200)
        expect(copied).toEqual([recorded, recorded])
      } finally {
        for (const child of [recorder, ...terminals]) child.kill('SIGKILL')
        await nats.kill()
      }
    },
  )

  test(
    'reads two shards as one: in a window, and to the same state in a terminal that slept',
    { tag: BROWSER_ONLY },
    async ({ open, home, simulator }) => {
      test.setTimeout(180_000)
      const nats = await Nats.start(join(home, 'nats'))
      const asleep = join(home, 'asleep')
      const shards = [
        { shard: 1, symbol: 'BTC-USD' },
        { shard: 2, symbol: 'ETH-USD' },
      ] as const
      const recorders: ChildProcess[] = []
      for (const one of shards)
        recorders.push(await startRecorder(simulator, join(home, `recorder-${one.shard}`), nats, one))
      const terminal = followTeam(asleep, nats)
      try {
        const { page } = await open()
        const screen = new Screen(page)
        await screen.source().click()
        await page.getByRole('button', { name: 'Join a team' }).click()
        const settings = screen.dialog('Settings')
        await settings.getByLabel('Team name').fill('eu')
        await settings.getByLabel('NATS servers').fill(nats.url)
        await settings.getByRole('checkbox', { name: /nats-server below 2\.11/ }).check()
        await settings.getByRole('button', { name: 'Join the team' }).click()
        await expect(settings.getByRole('button', { name: 'Leave the team' })).toBeVisible()
        await page.keyboard.press('Escape')
        for (const { symbol } of shards) await screen.trades(symbol)

        const ofTeam = async (where: string) =>
          (await copiesIn(where)).filter(({ source, messages }) => source.startsWith('team:') && messages > 0)
        await expect.poll(async () => (await ofTeam(asleep)).length, { timeout: 60_000 }).toBe(2)
        terminal.kill('SIGSTOP')
        const count = async (where: string) => (await ofTeam(where)).reduce((sum, { messages }) => sum + messages, 0)
        const before = await count(asleep)
        await expect.poll(() => count(home), { timeout: 60_000 }).toBeGreaterThan(before + 200)
        expect(await count(asleep)).toBeLessThan(await count(home))
        terminal.kill('SIGCONT')
        for (const recorder of recorders) {
          recorder.kill('SIGINT')
          await once(recorder, 'exit')
        }
        for (const where of [home, asleep])
          await expect
            .poll(async () => (await ofTeam(where)).filter(({ ended: at }) => at !== null).length, { timeout: 60_000 })
            .toBe(2)
        const here = await digestsIn(home, 'team:*@eu')
        expect(here.messages).toBeGreaterThan(before + 200)
        expect(await digestsIn(asleep, 'team:*@eu')).toEqual(here)

        await page.keyboard.press('Alt+s')
        const sessions = page.getByRole('region', { name: 'Sessions' })
        await sessions.getByRole('searchbox', { name: 'Filter sessions' }).fill('team:2')
        const row = sessions.getByRole('row').filter({ hasText: 'Closed' })
        await expect(row).toHaveCount(1, { timeout: 45_000 })
        await row.click({ button: 'right' })
        await expect(page.getByRole('menuitem', { name: 'Replay only this session' })).toBeVisible()
        await page.getByRole('menuitem', { name: 'Replay with the whole team (2 sessions)' }).click()
        await expect(screen.source(/This is a replay/)).toBeVisible()
        const position = page.getByRole('region', { name: 'Replay' }).getByRole('slider', { name: 'Replay position' })
        await position.press('End')
        for (const { symbol } of shards) await expect(screen.last(symbol)).toHaveText(/\d/)
        await screen.source().click()
        await expect(page.getByText(/2 sessions from Team eu/)).toBeVisible()
      } finally {
        for (const child of [...recorders, terminal]) child.kill('SIGKILL')
        await nats.kill()
      }
    },
  )
})
