#!/usr/bin/env node
// The command line: runs the built program with the pinned Node where it is installed.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const program = at('../out/main/cli.js')
const pinned = at(`../node_modules/node/bin/node${process.platform === 'win32' ? '.exe' : ''}`)

if (!existsSync(program)) {
  process.stderr.write('tapedeck: the program is not built: run `npm run build` (or `npm start`) first.\n')
  process.exit(1)
}
const node = existsSync(pinned) ? pinned : process.execPath
const child = spawn(node, [program, ...process.argv.slice(2)], { stdio: 'inherit' })
// From a terminal Ctrl+C reaches the child too; one signal more does no harm.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('error', (error) => {
  process.stderr.write(`tapedeck: the program could not be started: ${error.message}\n`)
  process.exit(1)
})
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)))
