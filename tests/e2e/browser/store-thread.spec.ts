/** The thread that writes the store dies: it is started again, a gap tells what is missing, and so does the window. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { chromium } from '@playwright/test'
import { appEnv, ended, pinnedNode, ROOT, runCli } from '../app.ts'
import { CHROMIUM_FLAGS } from '../chromium-flags.ts'
import { expect, test } from '../fixtures.ts'
import { Screen } from '../screen.ts'

test('a store’s thread that dies is started again, with a gap, and the window says so', async ({ home }) => {
  const script = fileURLToPath(new URL('../mortal-host.ts', import.meta.url))
  const host = spawn(pinnedNode(), [script, home], { cwd: ROOT, env: appEnv(home), stdio: ['pipe', 'pipe', 'inherit'] })
  const executablePath = process.env.TAPEDECK_CHROMIUM || '/usr/bin/chromium'
  const browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS })
  const page = await browser.newPage()
  try {
    const [line] = (await once(createInterface({ input: host.stdout }), 'line')) as [string] // its first line
    await page.goto((JSON.parse(line) as { url: string }).url)
    const screen = new Screen(page)
    await screen.trades('BTC-USD')
    host.stdin.write('die\n')
    await expect(page.getByText(/^Recording was interrupted and has resumed\./).first()).toBeVisible()
    await screen.ticks('BTC-USD')
    await expect(screen.recorder()).toHaveAccessibleName(/Recording/)
  } finally {
    await browser.close()
    host.kill('SIGINT')
    await ended(host, 'the host')
  }
  const { out } = await runCli(['sessions', '--json', '--store', join(home, 'tapedeck.db')], home)
  const sessions = out
    .trim()
    .split('\n')
    .map((one) => JSON.parse(one) as { gaps: { cause: string }[] })
  expect(sessions).toHaveLength(2)
  expect(sessions.flatMap(({ gaps }) => gaps.map(({ cause }) => cause))).toContain('worker')
  const verified = await runCli(['verify', '--json', '--store', join(home, 'tapedeck.db')], home)
  expect(JSON.parse(verified.out)).toMatchObject({ ok: true, problems: [] })
})
