// `npm run pack:cli`: the command line as a tarball and a Debian package for servers, in dist-cli/. `-- --tree` makes only the
// folder that both are made from, `-- --deb` only the latter, and `-- --fast` compresses less, for checks.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureBuilt, ensureInstalled, pinnedNode, root, stop } from './lib/ensure.mjs'
import { releaseDate } from './lib/release-date.mjs'

async function pack(args) {
  // They read the app's tables, which are TypeScript.
  const { stageCli } = await import('./lib/cli-package.mjs')
  const { makeDeb } = await import('./lib/deb.mjs')
  const about = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const to = join(root, 'dist-cli')
  rmSync(to, { recursive: true, force: true })
  const name = `tapedeck-cli-${about.version}-linux-${process.arch}`
  const prefix = join(to, name)
  const date = releaseDate()
  mkdirSync(prefix, { recursive: true })
  await stageCli(prefix, date)
  const made = []
  const isFast = args.includes('--fast')
  if (!args.includes('--tree') && !args.includes('--deb')) {
    const tar = join(to, `${name}.tar.gz`)
    const epoch = `--mtime=${date}T00:00:00Z`
    execFileSync('tar', [
      '--sort=name',
      '--owner=0',
      '--group=0',
      '--numeric-owner',
      epoch,
      '-I',
      isFast ? 'gzip -1' : 'gzip -9',
      '-cf',
      tar,
      '-C',
      to,
      name,
    ])
    made.push(tar)
  }
  if (!args.includes('--tree')) made.push(makeDeb({ prefix, work: to, to, about, date, isFast }))
  for (const file of made) console.log(`${file.slice(root.length + 1)}  ${(statSync(file).size / 1e6).toFixed(1)} MB`)
}

await ensureInstalled()
if (process.platform !== 'linux') stop('The package for servers is made on Linux.')
if (Number(process.versions.node.split('.')[0]) < 24) {
  const again = spawnSync(pinnedNode(), [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  process.exitCode = again.status ?? 1
} else {
  await ensureBuilt()
  await pack(process.argv.slice(2))
}
