/** A team: one process records and publishes, a terminal elsewhere follows, loses the servers, replays and exports. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Locator } from '@playwright/test'
import { appEnv, CLI, ended, pinnedNode, ROOT, runCli } from '../app.ts'
import { expect, test } from '../fixtures.ts'
import { Screen } from '../screen.ts'
import type { SimulatorProcess } from '../simulator.ts'

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

/** Records the service in a home of its own, and publishes to team eu. */
async function startRecorder(simulator: SimulatorProcess, home: string, nats: Nats): Promise<ChildProcess> {
  const env = appEnv(home, { TAPEDECK_PASSWORD: simulator.password, TAPEDECK_API_KEY: simulator.apiKey })
  const account = ['--base-url', simulator.baseUrl, '--user', simulator.username]
  const feeds = ['--feed', 'crypto/XT:BTC-USD,ETH-USD', '--feed', 'crypto/XQ:BTC-USD,ETH-USD']
  const team = ['--publish', nats.url, '--team', 'eu', '--allow-old-nats', '--recorder-name', 'paris']
  const child = spawn(pinnedNode(), [CLI, 'record', ...account, ...feeds, ...team], {
    cwd: ROOT,
    env,
    stdio: 'ignore',
  })
  const trading = async () => (await simulator.sent()).connections.filter(({ market }) => market > 0).length
  await expect.poll(trading, { timeout: 60_000 }).toBe(2)
  return child
}

interface Digests {
  readonly messages: number
  readonly digest: string
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
      await expect(status(/^Team: Team eu, .* behind/)).toBeVisible()

      await nats.kill()
      await expect(status('Team: Upstream lost: prices are aging')).toBeVisible({ timeout: 30_000 })
      await expect(screen.source(/Not connected to team eu/)).toBeVisible()
      await expect(screen.row('BTC-USD').getByRole('rowheader', { name: /disconnected/ })).toBeVisible()
      await nats.start()
      await expect(screen.source(/Live from team eu/)).toBeVisible({ timeout: 45_000 })
      await screen.ticks('BTC-USD')

      // Its end travels like everything else.
      recorder.kill('SIGINT')
      await once(recorder, 'exit')
      await page.keyboard.press('Alt+s')
      const sessions = page.getByRole('region', { name: 'Sessions' })
      // Beside it is the session of the demo market from before.
      await sessions.getByRole('searchbox', { name: 'Filter sessions' }).fill('team:')
      const row = sessions.getByRole('row').filter({ hasText: 'Complete' })
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
      const digests: Digests[] = []
      for (const where of [recorderHome, home]) {
        const listed = await runCli(['sessions', '--json'], where)
        const [first] = listed.out.split('\n').filter((line) => line.includes(where === home ? 'team:' : 'service:'))
        const { session } = JSON.parse(first ?? '{}') as { session: string }
        const replay = await runCli(['replay', '--session', session, '--digest', '--json'], where)
        expect(replay.code, replay.err).toBe(0)
        digests.push(JSON.parse(replay.out.trim().split('\n').at(-1) ?? '{}') as Digests)
      }
      expect(digests[0]?.messages).toBeGreaterThan(10)
      expect(digests[1]).toEqual(digests[0])
      const verified = await runCli(['verify'], home)
      expect(verified.code, verified.out).toBe(0)
    } finally {
      recorder.kill('SIGKILL')
      await nats.kill()
    }
  })
})
