// `npm run pack`: the app as a folder. `npm run dist`: the installers of this system (`-- --linux` and the
// like choose others). Where no Electron can be had the folder is packed around a placeholder, and says so.
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureBuilt, ensureInstalled, pinnedNode, root, run, stop } from './lib/ensure.mjs'
import { findElectron } from './lib/electron.mjs'
import { writeNotices } from './lib/notices.mjs'
import { signingEnv } from './lib/signing.mjs'

/** A distribution that is enough to pack around: the names that electron-builder looks for, and no program. */
function placeholderDist() {
  const folder = join(root, 'node_modules', '.cache', 'placeholder-electron')
  rmSync(folder, { recursive: true, force: true })
  for (const part of ['resources', 'locales']) mkdirSync(join(folder, part), { recursive: true })
  const stub =
    '#!/bin/sh\necho "This package was made without Electron: it only shows what would be packed." >&2\nexit 1\n'
  writeFileSync(join(folder, 'electron'), stub, { mode: 0o755 })
  writeFileSync(join(folder, 'version'), '0.0.0\n')
  writeFileSync(join(folder, 'locales', 'en-US.pak'), '')
  cpSync(join(root, 'node_modules', 'electron', 'LICENSE'), join(folder, 'LICENSE'))
  return folder
}

await ensureInstalled()
await ensureBuilt()
const args = process.argv.slice(2)
const folderOnly = args.includes('--dir')
const real = findElectron({})
if (!real && !folderOnly)
  stop('Installers need Electron itself: "npx install-electron" fetches it. "npm run pack" packs a folder without it.')
if (!real && process.platform !== 'linux') stop('A folder without Electron can be packed on Linux only.')
const packages = writeNotices()
// They read the app's tables, which are TypeScript.
if (process.platform === 'linux' && (await run(pinnedNode(), [join(root, 'scripts', 'linux-files.mjs')])) !== 0)
  stop('The files of the Linux packages could not be made; the lines above say why.')
console.log(`Licences of ${packages.length} packages written.`)
if (!real) console.log('There is no Electron here: the folder is packed around a placeholder.')
rmSync(join(root, 'dist'), { recursive: true, force: true })
const keys = mkdtempSync(join(tmpdir(), 'tapedeck-keys-'))
process.exitCode = await run(
  pinnedNode(),
  [
    join(root, 'node_modules', 'electron-builder', 'cli.js'),
    '--config',
    'electron-builder.config.mjs',
    '--publish',
    'never',
    ...args,
  ],
  { env: { ...signingEnv(process.env, keys), ...(real ? {} : { TAPEDECK_PLACEHOLDER_DIST: placeholderDist() }) } },
).finally(() => rmSync(keys, { recursive: true, force: true }))
if (process.exitCode === 0 && !existsSync(join(root, 'dist'))) process.exitCode = 1
