/** Who doesn't use a team doesn't pay for one: its clients stay on the disk. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { makeFolder } from '../../../../kit/folder.ts'

const run = promisify(execFile)
const root = new URL('../../../../../', import.meta.url)

/** Prints the files of NATS and PostgreSQL clients, and of frames and followers, that `script` made Node load. */
async function loadedBy(script: string): Promise<string[]> {
  const hook = `
    import { registerHooks } from 'node:module'
    const wanted = /node_modules\\/(@nats-io|pg|pg-[a-z-]+)\\/|features\\/team\\/(follow|frame|nats\\/connect|history\\/history)/
    registerHooks({ load(url, context, next) {
      if (wanted.test(url)) process._rawDebug('LOADED ' + url)
      return next(url, context)
    } })
    ${script}`
  const file = join(makeFolder('lazy'), 'start.mjs')
  writeFileSync(file, hook)
  const { stderr } = await run(process.execPath, [file], { timeout: 60_000 })
  return stderr.split('\n').filter((line) => line.startsWith('LOADED'))
}

const terminal = (more: string): string => `
  const { openTerminal } = await import(${JSON.stringify(new URL('src/main/hosts/open-terminal.ts', root).href)})
  const worker = (file) => new URL(file, ${JSON.stringify(root.href)})
  const terminal = await openTerminal({
    dataDir: ${JSON.stringify(makeFolder('lazy'))}, host: 'test', version: '0.0.0', memoryKeychain: true,
    demoData: worker('resources/demo/'),
    workers: { store: worker('src/main/store-worker.ts'), reader: worker('src/main/reader-worker.ts'), imports: undefined, simulator: worker('src/simulator/worker.ts') },
    ${more}
  })
  await new Promise((resolve) => setTimeout(resolve, 500))
  await terminal.close()`

it('loads nothing of a team for the demo market', async () => {
  expect(await loadedBy(terminal(`source: 'demo'`))).toEqual([])
})

it('loads it for a team, so that the test above can see it', async () => {
  const team = `{ name: 'eu', allowOld: true, target: { servers: ['127.0.0.1:1'], tls: false, user: null, password: null, seed: null, creds: null, ca: null } }`
  const loaded = (await loadedBy(terminal(`source: 'team', team: ${team}`))).join()
  expect(loaded).toMatch(/@nats-io/)
  expect(loaded).toMatch(/team\/follow/)
})
