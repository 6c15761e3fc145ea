#!/usr/bin/env node
// The command line: runs the built program with the pinned Node where it is installed.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const program = at('../out/main/cli.js')
const onWindows = process.platform === 'win32'
const pinned = at(`../node_modules/node/bin/node${onWindows ? '.exe' : ''}`)

if (!existsSync(program)) {
  process.stderr.write('tapedeck: the program is not built: run `npm run build` (or `npm start`) first.\n')
  process.exit(1)
}
const node = existsSync(pinned) ? pinned : process.execPath
const args = [program, ...process.argv.slice(2)]

// Each thread of Node otherwise keeps freed memory in an arena of its own (glibc).
const env = { MALLOC_ARENA_MAX: '2', ...process.env }

// In place of this process where Node can do that (22.15 and later): signals then have one receiver.
if (!onWindows && process.execve !== undefined) process.execve(node, [node, ...args], env)

const child = spawn(node, args, { stdio: 'inherit', env })
// Ctrl+C and a terminal that closes reach the child by themselves, and Windows has no signals to forward: there, kill ends a
// process at once. What reached the child twice would count as two presses of Ctrl+C.
const isReached = onWindows || [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY === true)
for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => void (isReached || child.kill(signal)))
process.on('SIGTERM', () => child.kill('SIGTERM'))
child.on('error', (error) => {
  process.stderr.write(`tapedeck: the program could not be started: ${error.message}\n`)
  process.exit(1)
})
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)))
