// The command line as a package of its own, for machines without a display: a tree of bin, lib and share that is unpacked
// below /usr or /usr/local. It holds the pinned Node, the code that the command line reaches, and the packages this needs.
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { execFileSync } from 'node:child_process'
import { pinnedNode, root } from './ensure.mjs'
import { noticesText, runtime, shippedPackages } from './notices.mjs'

const json = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'))
/** Where the program is, below the prefix. */
const PROGRAM = 'lib/tapedeck-cli'
const ENTRIES = ['cli.js', 'store-worker.js', 'reader-worker.js', 'import-worker.js', 'simulator-worker.js']

/**
 * What the command line reaches from its entry points: files below out/main, and packages that it imports.
 * @param {(file: string) => string} read gives the text of a file below out/main
 * @param {readonly string[]} dependencies packages that aren't bundled
 */
export function reachable(read, dependencies, entries = ENTRIES) {
  const files = new Set()
  const packages = new Set()
  const visit = (file) => {
    if (files.has(file)) return
    files.add(file)
    for (const [, specifier] of read(file).matchAll(/\b(?:from|import)\s*\(?\s*["']([^"'\n]+)["']/g)) {
      if (specifier.startsWith('.')) visit(join(dirname(file), specifier))
      else {
        const name = dependencies.find((one) => specifier === one || specifier.startsWith(`${one}/`))
        if (name !== undefined) packages.add(name)
      }
    }
  }
  for (const entry of entries) visit(entry)
  return { files: [...files].sort(), packages: [...packages].sort() }
}

/** Of packages: what is of use only to those who develop them. */
const NEEDLESS = [
  /\.(map|md|markdown|gyp|gypi|c|cc|cpp|h|ts|mts|cts|flow)$/,
  /\/(Makefile|\.jshintrc|\.npmignore|[^/]+\.yml)$/,
  /\/(test|tests|docs|example|examples|benchmark|\.github)(\/|$)/,
  /\/better-sqlite3\/(deps|src)(\/|$)/,
  /\/undici\/(docs|types|scripts)(\/|$)/,
  /\/tweetnacl\/(nacl\.js|.*\.min\.js)$/,
  /\/valibot\/dist\/(index\.cjs|index\.min\..*)$/,
  /\/node-addon-api(\/|$)/,
]

/** Whether a file of a package is packed. `file`: its path from the checkout, with slashes. */
export function isPacked(file, { platform = process.platform, arch = process.arch } = {}) {
  const own = `${platform}-${arch}.node`
  if (/\/better-sqlite3\/prebuilds\/.+/.test(file)) return file.endsWith(`/${own}`)
  return !NEEDLESS.some((pattern) => pattern.test(file))
}

const built = (name) => readFileSync(join(root, 'out', 'main', name), 'utf8')
/** The same for the build in out/. */
export const reachableHere = () => reachable(built, Object.keys(json('package.json').dependencies))

const write = (path, text, mode = 0o644) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  chmodSync(path, mode)
}

/** Copies the program below `prefix`. */
function stageProgram(prefix) {
  const program = join(prefix, PROGRAM)
  const { files, packages } = reachableHere()
  for (const file of files) cpSync(join(root, 'out', 'main', file), join(program, 'out', 'main', file))
  // `serve` is a command like others.
  cpSync(join(root, 'out', 'renderer'), join(program, 'out', 'renderer'), { recursive: true })
  cpSync(join(root, 'resources', 'demo'), join(program, 'resources', 'demo'), { recursive: true })
  for (const folder of runtime(packages)) {
    if (!isPacked(relative(root, folder))) continue
    cpSync(folder, join(program, relative(root, folder)), {
      recursive: true,
      dereference: true,
      // What a package has below it is in the list by itself.
      filter: (from) => from === folder || (!/\/node_modules$/.test(from) && isPacked(relative(root, from))),
    })
  }
  const { name, version, description, license } = json('package.json')
  write(join(program, 'package.json'), `${JSON.stringify({ name, version, description, license, type: 'module' })}\n`)
  cpSync(pinnedNode(), join(program, 'node'))
  chmodSync(join(program, 'node'), 0o755)
  write(join(program, 'tapedeck'), readFileSync(join(root, 'packaging', 'cli', 'tapedeck')), 0o755)
  mkdirSync(join(prefix, 'bin'), { recursive: true })
  symlinkSync(`../${PROGRAM}/tapedeck`, join(prefix, 'bin', 'tapedeck'))
  return packages
}

const nodeLicence = () => join(root, 'packaging', 'licenses', `node-${json('package.json').devDependencies.node}.txt`)

/** Copies manual, completions, licences and examples below `prefix`. The program is there already. */
async function stageShare(prefix, packages, date) {
  const share = join(prefix, 'share')
  const { version } = json('package.json')
  // It reads the app's tables, which are TypeScript.
  const { manPage } = await import('./man-page.mjs')
  write(join(share, 'man', 'man1', 'tapedeck.1'), await manPage({ version, date }))
  const completion = (shell) =>
    execFileSync(join(prefix, 'bin', 'tapedeck'), ['completion', shell], {
      env: { ...process.env, TAPEDECK_HOME: join(prefix, 'none') },
    })
  write(join(share, 'bash-completion', 'completions', 'tapedeck'), completion('bash'))
  write(join(share, 'zsh', 'vendor-completions', '_tapedeck'), completion('zsh'))
  write(join(share, 'fish', 'vendor_completions.d', 'tapedeck.fish'), completion('fish'))
  const doc = join(share, 'doc', 'tapedeck-cli')
  cpSync(join(root, 'LICENSE'), join(doc, 'LICENSE'))
  cpSync(nodeLicence(), join(doc, 'LICENSE.node'))
  const program = 'Node, which runs it: LICENSE.node beside this file.'
  write(join(doc, 'THIRD-PARTY-NOTICES.txt'), noticesText(shippedPackages(packages), program))
  for (const unit of readdirSync(join(root, 'packaging', 'systemd')))
    write(join(doc, 'examples', unit), readFileSync(join(root, 'packaging', 'systemd', unit)))
  write(join(doc, 'examples', 'record.env'), readFileSync(join(root, 'packaging', 'cli', 'record.env')))
}

/**
 * Makes the tree below `prefix`, an empty or absent folder.
 * @param {string} prefix
 * @param {string} date of the release, as `2026-01-05`
 */
export async function stageCli(prefix, date) {
  if (existsSync(prefix) && readdirSync(prefix).length > 0) throw new Error(`${prefix} isn’t empty`)
  const packages = stageProgram(prefix)
  await stageShare(prefix, packages, date)
  return packages
}
