// What the Linux packages of the app hold besides the app: metadata for software centres, the file type with its magic, manual,
// completions, licence and changelog. `npm run dist` writes them into out/linux.
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { root } from './ensure.mjs'

/** Below out/linux, and where each goes. The configuration of the packager reads this list. */
export const LINUX_FILES = {
  'metainfo.xml': '/usr/share/metainfo/app.tapedeck.Tapedeck.metainfo.xml',
  // After the packager's tapedeck.xml by name: where both say something, such as the icon, the last one counts.
  'session.xml': '/usr/share/mime/packages/tapedeck_session.xml',
  'tapedeck.1.gz': '/usr/share/man/man1/tapedeck.1.gz',
  'tapedeck.bash': '/usr/share/bash-completion/completions/tapedeck',
  _tapedeck: '/usr/share/zsh/vendor-completions/_tapedeck',
  'tapedeck.fish': '/usr/share/fish/vendor_completions.d/tapedeck.fish',
  copyright: '/usr/share/doc/tapedeck/copyright',
  'changelog.gz': '/usr/share/doc/tapedeck/changelog.gz',
}

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** AppStream metadata. */
export const metainfoXml = (
  { version, description, homepage, license },
  date,
) => `<?xml version="1.0" encoding="UTF-8"?>
<component type="desktop-application">
  <id>app.tapedeck.Tapedeck</id>
  <name>Tapedeck</name>
  <summary>Market terminal that records everything and plays it back</summary>
  <developer id="app.tapedeck">
    <name>The Tapedeck authors</name>
  </developer>
  <metadata_license>CC0-1.0</metadata_license>
  <project_license>${license}</project_license>
  <description>
    <p>${escaped(description)}</p>
    <p>
      Tapedeck shows live prices, charts, alerts and research of a market data service, stores every message with proof that
      nothing was changed, marks what it did not receive, and plays any session back exactly. A demo market is built in.
    </p>
  </description>
  <launchable type="desktop-id">tapedeck.desktop</launchable>
  <url type="homepage">${escaped(homepage)}</url>
  <categories>
    <category>Office</category>
    <category>Finance</category>
  </categories>
  <provides>
    <binary>tapedeck</binary>
    <mediatype>application/x-tapedeck</mediatype>
  </provides>
  <content_rating type="oars-1.1" />
  <releases>
    <release version="${version}" date="${date}" />
  </releases>
</component>
`

/** The file type: by its first bytes, so that a renamed or downloaded session is known, too. */
export const mimeXml = () => `<?xml version="1.0" encoding="UTF-8"?>
<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">
  <mime-type type="application/x-tapedeck">
    <comment>Tapedeck session</comment>
    <magic priority="60">
      <match type="string" offset="0" value="TAPEDECK" />
    </magic>
    <glob pattern="*.tapedeck" />
    <icon name="tapedeck" />
  </mime-type>
</mime-info>
`

/**
 * Every file by its name below out/linux.
 * @param {{ version: string, description: string, homepage: string, license: string }} about
 * @param {{ date: string, manual: string, completions: Readonly<Record<'bash' | 'zsh' | 'fish', Uint8Array | string>>, copyright: string, changelog: string }} parts
 * @returns {Readonly<Record<keyof typeof LINUX_FILES, Uint8Array | string>>}
 */
export const linuxFiles = (about, { date, manual, completions, copyright, changelog }) => ({
  'metainfo.xml': metainfoXml(about, date),
  'session.xml': mimeXml(),
  'tapedeck.1.gz': gzipSync(manual, { level: 9 }),
  'tapedeck.bash': completions.bash,
  _tapedeck: completions.zsh,
  'tapedeck.fish': completions.fish,
  copyright,
  'changelog.gz': gzipSync(changelog, { level: 9 }),
})

/** Where zsh looks on systems with rpm. */
const ZSH_OF_RPM = '/usr/share/zsh/site-functions/_tapedeck'

/**
 * For `fpm` of the packager: what goes where.
 * @param {'deb' | 'rpm'} target
 */
export const fpmArguments = (target) =>
  Object.entries(LINUX_FILES).map(([name, path]) => {
    const place = target === 'rpm' && name === '_tapedeck' ? ZSH_OF_RPM : path
    return `${join(root, 'out', 'linux', name)}=${place}`
  })
