// The Debian package tapedeck-cli: the tree of cli-package.mjs below /usr, units for systemd, and what Debian's policy asks for.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, cpSync, lstatSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import { root } from './ensure.mjs'

export const PACKAGE = 'tapedeck-cli'
/** The libraries that Node and the native modules load. tests/unit/scripts/cli-package.test.ts compares it with the binaries. */
export const DEPENDS = { libc6: '2.34', 'libgcc-s1': '4.2', 'libstdc++6': '11' }
/** Debian's names of processors. */
const ARCH = { x64: 'amd64', arm64: 'arm64' }
export const debArch = (arch = process.arch) => ARCH[arch]
const MAINTAINER = 'The Tapedeck authors <authors@tapedeck.invalid>'

/** Debian's form of a version: a prerelease sorts before its release. */
export const debVersion = (version) => version.replace('-', '~')

const wrapped = (text) => (text.match(/.{1,76}(?:\s|$)/g) ?? []).map((line) => ` ${line.trim()}`)

export function controlText({ version, description, homepage }, { arch = process.arch, bytes }) {
  const depends = Object.entries(DEPENDS).map(([name, least]) => `${name} (>= ${least})`)
  return [
    `Package: ${PACKAGE}`,
    `Version: ${debVersion(version)}`,
    `Architecture: ${debArch(arch)}`,
    `Maintainer: ${MAINTAINER}`,
    `Installed-Size: ${Math.ceil(bytes / 1024)}`,
    `Depends: ${depends.join(', ')}`,
    'Recommends: bash-completion, man-db',
    'Suggests: systemd',
    // Both are the command tapedeck, with the same manual.
    'Conflicts: tapedeck',
    'Section: utils',
    'Priority: optional',
    `Homepage: ${homepage}`,
    'Description: record markets without a display, and play them back exactly',
    ...wrapped(
      `${description} This package is the command line with the Node that runs it. It needs no display: it records feeds to the ` +
        'message, serves metrics and the window in a browser, replays, and exports.',
    ),
    '',
  ].join('\n')
}

const IN_CLI =
  'The licence of Node is in LICENSE.node, those of bundled packages and of the demo market are in THIRD-PARTY-NOTICES.txt, both beside this file.'

/** DEP-5. `others`: where the licences of what is bundled are, word for word. */
export function copyrightText(others = IN_CLI) {
  const licence = readFileSync(join(root, 'LICENSE'), 'utf8').trim()
  const body = licence.slice(licence.indexOf('Permission'))
  const quoted = body.split('\n').map((line) => ` ${line.trim() === '' ? '.' : line.trim()}`)
  return [
    'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/',
    'Upstream-Name: Tapedeck',
    'Comment:',
    ...wrapped(others),
    '',
    'Files: *',
    `Copyright: ${licence.match(/Copyright.*/)?.[0].replace('Copyright (c) ', '') ?? 'The Tapedeck authors'}`,
    'License: Expat',
    ...quoted,
    '',
  ].join('\n')
}

export const changelogText = ({ version }, date, name = PACKAGE) =>
  `${name} (${debVersion(version)}) unstable; urgency=medium\n\n  * Release ${version}. What changed: CHANGELOG.md of the source.\n\n` +
  ` -- ${MAINTAINER}  ${new Date(`${date}T00:00:00Z`).toUTCString().replace('GMT', '+0000')}\n`

const OVERRIDES = [
  // Node's own release, byte for byte, and prebuilt modules: they bring their libraries with them.
  'embedded-library',
  'unstripped-binary-or-object',
  'hardening-no-pie',
  // deb-systemd-helper forgets only what it enabled itself; the units are enabled by the administrator.
  'maintainer-script-calls-systemctl',
]

/** Asks systemd to read the units again, and restarts recorders that run: their files were replaced. */
const POSTINST = `#!/bin/sh
set -e
if [ "$1" = configure ] && [ -d /run/systemd/system ]; then
  systemctl daemon-reload || true
  if [ -n "$2" ]; then
    deb-systemd-invoke try-restart tapedeck-record.service tapedeck-archive.service || true
  fi
fi
`
const PRERM = `#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  deb-systemd-invoke stop tapedeck-record.service tapedeck-archive.service || true
fi
`
const POSTRM = `#!/bin/sh
set -e
# Otherwise a later installation would record at the next boot without being asked.
if [ "$1" = purge ] && command -v systemctl >/dev/null; then
  systemctl --quiet disable tapedeck-record.service tapedeck-archive.service || true
fi
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload || true
fi
# Recordings belong to the user.
if [ "$1" = remove ]; then
  echo "Tapedeck: recordings and settings are still in ~/.local/share/tapedeck, /var/lib/tapedeck-* and /etc/tapedeck."
fi
`

function* entries(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    yield path
    if (entry.isDirectory()) yield* entries(path)
  }
}

const put = (path, content, mode = 0o644) => {
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, content)
  chmodSync(path, mode)
}
const compress = (path) => {
  put(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }))
  rmSync(path)
}

/**
 * Writes the package from the tree in `prefix` and returns its path. `work`: a folder to build in.
 * @param {{ prefix: string, work: string, to: string, about: { version: string, description: string, homepage: string }, date: string, isFast?: boolean }} options
 */
export function makeDeb({ prefix, work, to, about, date, isFast = false }) {
  const tree = join(work, 'deb')
  rmSync(tree, { recursive: true, force: true })
  cpSync(prefix, join(tree, 'usr'), { recursive: true, verbatimSymlinks: true })
  const doc = join(tree, 'usr', 'share', 'doc', PACKAGE)
  rmSync(join(doc, 'LICENSE'))
  put(join(doc, 'copyright'), copyrightText())
  put(join(doc, 'changelog'), changelogText(about, date))
  for (const file of ['changelog', 'LICENSE.node', 'THIRD-PARTY-NOTICES.txt']) compress(join(doc, file))
  compress(join(tree, 'usr', 'share', 'man', 'man1', 'tapedeck.1'))
  for (const unit of readdirSync(join(root, 'packaging', 'systemd'))) {
    put(join(tree, 'lib', 'systemd', 'system', unit), readFileSync(join(root, 'packaging', 'systemd', unit)))
    rmSync(join(doc, 'examples', unit))
  }
  const overrides = OVERRIDES.map((tag) => `${PACKAGE}: ${tag}\n`).join('')
  put(join(tree, 'usr', 'share', 'lintian', 'overrides', PACKAGE), overrides)

  let bytes = 0
  const sums = []
  for (const path of entries(tree)) {
    const stat = lstatSync(path)
    if (stat.isDirectory()) chmodSync(path, 0o755)
    if (!stat.isFile()) continue
    // Whatever modes the packages came with.
    chmodSync(path, stat.mode & 0o111 && !path.endsWith('.js') ? 0o755 : 0o644)
    bytes += stat.size
    const name = relative(tree, path)
    sums.push(`${createHash('md5').update(readFileSync(path)).digest('hex')}  ${name}\n`)
  }
  put(join(tree, 'DEBIAN', 'control'), controlText(about, { bytes }))
  put(join(tree, 'DEBIAN', 'md5sums'), sums.sort((a, b) => (a.slice(34) < b.slice(34) ? -1 : 1)).join(''))
  for (const [name, text] of Object.entries({ postinst: POSTINST, prerm: PRERM, postrm: POSTRM }))
    put(join(tree, 'DEBIAN', name), text, 0o755)
  chmodSync(join(tree, 'DEBIAN'), 0o755)
  chmodSync(tree, 0o755)
  const file = join(to, `${PACKAGE}_${debVersion(about.version)}_${debArch()}.deb`)
  const how = isFast ? ['-Zgzip', '-z1'] : ['-Zxz']
  execFileSync('dpkg-deb', ['--root-owner-group', ...how, '--build', tree, file], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, SOURCE_DATE_EPOCH: String(Date.parse(`${date}T00:00:00Z`) / 1_000) },
  })
  rmSync(tree, { recursive: true, force: true })
  return file
}
