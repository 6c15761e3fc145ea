/** The launcher of a checkout, in front of a program that counts what reaches it. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { makeFolder } from '../../kit/folder.ts'

/** Says that it is there, says each interruption, and at SIGTERM how many there were; ends with 7. */
const COUNTER = `
const counts = { SIGINT: 0, SIGHUP: 0 }
for (const signal of Object.keys(counts)) process.on(signal, () => console.log(signal + ' ' + ++counts[signal]))
// A second one that was sent before may still be on its way through another thread.
const end = () => { console.log(JSON.stringify(counts)); process.exit(7) }
process.on('SIGTERM', () => setImmediate(() => setImmediate(end)))
setInterval(() => {}, 1e6)
console.log('ready ' + process.argv.slice(2).join(' '))
`
/** What an older Node lacks. */
const WITHOUT_EXECVE = ['--import', 'data:text/javascript,process.execve=undefined']

let folder: string
let launcher: string
beforeEach(() => {
  folder = makeFolder('launcher')
  launcher = join(folder, 'scripts', 'tapedeck.mjs')
  for (const part of ['scripts', 'out/main']) mkdirSync(join(folder, part), { recursive: true })
  copyFileSync('scripts/tapedeck.mjs', launcher)
  writeFileSync(join(folder, 'out/main/cli.js'), COUNTER)
})

/** Interrupts the program once it is there, and ends it by SIGTERM to the launcher once it said so. */
async function interrupt(child: ChildProcess, send: () => void, terminate: (out: string) => void) {
  let out = ''
  const steps = [
    ['ready', send],
    [/SIG(INT|HUP) 1/, () => terminate(out)],
  ] as const
  let at = 0
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out += text
    for (; at < steps.length && out.search(steps[at][0]) >= 0; at++) steps[at][1]()
  })
  const [code] = (await once(child, 'close')) as [unknown]
  return { out, code, counts: JSON.parse(/\{.*\}/.exec(out)?.[0] ?? '{}') as unknown }
}

describe.skipIf(process.platform !== 'linux')('the launcher [needs linux]', () => {
  it.each([
    ['SIGINT', 'group'],
    ['SIGHUP', 'group'],
    ['SIGINT', 'launcher'],
    ['SIGHUP', 'launcher'],
  ] as const)('lets the program have %s once if the %s gets it', async (signal, receiver) => {
    const child = spawn(process.execPath, [launcher, 'record', '--demo'], { detached: true })
    const pid = child.pid ?? NaN
    const { out, code, counts } = await interrupt(
      child,
      () => process.kill(receiver === 'group' ? -pid : pid, signal),
      () => process.kill(pid, 'SIGTERM'),
    )
    expect(out.split('\n')[0]).toBe('ready record --demo')
    expect(counts).toEqual({ SIGINT: 0, SIGHUP: 0, [signal]: 1 })
    expect(code).toBe(7)
  })

  it.each(['SIGINT', 'SIGHUP'] as const)('forwards %s where Node can’t replace the process', async (signal) => {
    const child = spawn(process.execPath, [...WITHOUT_EXECVE, launcher])
    const { code, counts } = await interrupt(
      child,
      () => child.kill(signal),
      () => child.kill('SIGTERM'),
    )
    expect(counts).toEqual({ SIGINT: 0, SIGHUP: 0, [signal]: 1 })
    expect(code).toBe(7)
  })
})

it.each([
  ['where Node can replace the process', []],
  ['where it can’t', WITHOUT_EXECVE],
])('limits the arenas of freed memory unless told, %s', (_, options) => {
  writeFileSync(join(folder, 'out/main/cli.js'), 'process.stdout.write(process.env.MALLOC_ARENA_MAX)')
  const arenasWith = (env: NodeJS.ProcessEnv): string => {
    const { MALLOC_ARENA_MAX: _, ...own } = process.env
    return spawnSync(process.execPath, [...options, launcher], { encoding: 'utf8', env: { ...own, ...env } }).stdout
  }
  expect([arenasWith({}), arenasWith({ MALLOC_ARENA_MAX: '5' })]).toEqual(['2', '5'])
})

describe.skipIf(process.platform !== 'linux')('the launcher in a terminal [needs linux]', () => {
  it.each([
    ['where Node can replace the process', []],
    ['where it can’t', WITHOUT_EXECVE],
  ])('lets the program have Ctrl+C once, %s', async (_, options) => {
    const words = [process.execPath, ...options, launcher].map((word) => `'${word}'`).join(' ')
    // The shell says its own pid, which is the launcher's, and `script` gives it a terminal.
    const child = spawn('script', ['--quiet', '--return', '--command', `echo pid $$; exec ${words}`, '/dev/null'])
    const { code, counts } = await interrupt(
      child,
      () => child.stdin.write('\x03'),
      (out) => process.kill(Number(/pid (\d+)/.exec(out)?.[1]), 'SIGTERM'),
    )
    expect(counts).toEqual({ SIGINT: 1, SIGHUP: 0 })
    expect(code).toBe(7)
  })
})
