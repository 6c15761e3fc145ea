// Recipes of package managers (winget, Homebrew, Flatpak, AUR), from one table of what a release publishes. Pure.

/** What a release publishes, as the packager and pack-cli.mjs name it. */
export const DOWNLOADS = {
  winX64: (v) => `Tapedeck-${v}-win-x64.exe`,
  winArm64: (v) => `Tapedeck-${v}-win-arm64.exe`,
  macX64: (v) => `Tapedeck-${v}-mac-x64.dmg`,
  macArm64: (v) => `Tapedeck-${v}-mac-arm64.dmg`,
  debX64: (v) => `Tapedeck-${v}-linux-amd64.deb`,
  debArm64: (v) => `Tapedeck-${v}-linux-arm64.deb`,
  cliX64: (v) => `tapedeck-cli-${v}-linux-x64.tar.gz`,
  cliArm64: (v) => `tapedeck-cli-${v}-linux-arm64.tar.gz`,
}

/** @typedef {{ version: string, description: string, homepage: string, license: string }} About */
/** @typedef {Readonly<Record<keyof typeof DOWNLOADS, { file: string, url: string, sha256: string }>>} Published */

/**
 * Each download with its address and checksum. Throws where SHA256SUMS lacks one.
 * @param {string} version
 * @param {string} base address of the folder that the release's files are in
 * @param {string} sums content of SHA256SUMS
 * @returns {Published}
 */
export function published(version, base, sums) {
  const known = new Map(
    sums.split('\n').flatMap((line) => {
      const [, sha256, file] = /^([\da-f]{64}) [ *](.+)$/.exec(line) ?? []
      return file === undefined ? [] : [[file, sha256]]
    }),
  )
  return Object.fromEntries(
    Object.entries(DOWNLOADS).map(([key, name]) => {
      const file = name(version)
      const sha256 = known.get(file)
      if (sha256 === undefined) throw new Error(`SHA256SUMS has no line for ${file}`)
      return [key, { file, url: `${base.replace(/\/$/, '')}/${file}`, sha256 }]
    }),
  )
}

const WINGET = 'Tapedeck.Tapedeck'
const WINGET_SCHEMA = '1.6.0'

function winget({ version, description, homepage, license }, { winX64, winArm64 }) {
  const manifest = (type, lines) =>
    [
      `# yaml-language-server: $schema=https://aka.ms/winget-manifest.${type.toLowerCase()}.${WINGET_SCHEMA}.schema.json`,
      `PackageIdentifier: ${WINGET}`,
      `PackageVersion: ${version}`,
      ...lines,
      `ManifestType: ${type}`,
      `ManifestVersion: ${WINGET_SCHEMA}`,
      '',
    ].join('\n')
  const installer = (architecture, { url, sha256 }) => [
    `  - Architecture: ${architecture}`,
    `    InstallerUrl: ${url}`,
    `    InstallerSha256: ${sha256.toUpperCase()}`,
  ]
  return {
    [`winget/${WINGET}.yaml`]: manifest('version', ['DefaultLocale: en-US']),
    [`winget/${WINGET}.installer.yaml`]: manifest('installer', [
      'InstallerType: nullsoft',
      'Scope: user',
      'FileExtensions: [tapedeck]',
      'Protocols: [tapedeck]',
      'Installers:',
      ...installer('x64', winX64),
      ...installer('arm64', winArm64),
    ]),
    [`winget/${WINGET}.locale.en-US.yaml`]: manifest('defaultLocale', [
      'PackageLocale: en-US',
      'Publisher: The Tapedeck authors',
      'PackageName: Tapedeck',
      `PackageUrl: ${homepage}`,
      `License: ${license}`,
      `ShortDescription: ${JSON.stringify(description)}`,
      'Moniker: tapedeck',
      'Tags: [market, trading, stocks, forex, crypto, replay]',
    ]),
  }
}

/** Homebrew refuses descriptions that end with a period. */
const briefly = (text) => text.replace(/\.$/, '')

const homebrew = ({ version, description, homepage, license }, { macX64, macArm64, cliX64, cliArm64 }) => ({
  'homebrew/Casks/tapedeck.rb': `cask "tapedeck" do
  arch arm: "arm64", intel: "x64"

  version "${version}"
  sha256 arm:   "${macArm64.sha256}",
         intel: "${macX64.sha256}"

  url "${macX64.url.replace(macX64.file, '')}Tapedeck-#{version}-mac-#{arch}.dmg"
  name "Tapedeck"
  desc "${briefly(description)}"
  homepage "${homepage}"

  app "Tapedeck.app"
  binary "#{appdir}/Tapedeck.app/Contents/Resources/bin/tapedeck"

  # No zap: recordings belong to the user.
end
`,
  'homebrew/Formula/tapedeck-cli.rb': `class TapedeckCli < Formula
  desc "${briefly(description)}"
  homepage "${homepage}"
  version "${version}"
  license "${license}"

  depends_on :linux

  on_intel do
    url "${cliX64.url}"
    sha256 "${cliX64.sha256}"
  end
  on_arm do
    url "${cliArm64.url}"
    sha256 "${cliArm64.sha256}"
  end

  def install
    prefix.install Dir["*"]
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/tapedeck --version").strip
  end
end
`,
})

const APP_ID = 'app.tapedeck.Tapedeck'

const flatpak = (_about, { debX64, debArm64 }) => ({
  [`flatpak/${APP_ID}.yml`]: `# The name of the manifest is the app's id, which Flathub takes only from the owner of the domain.
id: ${APP_ID}
runtime: org.freedesktop.Platform
runtime-version: '24.08'
sdk: org.freedesktop.Sdk
base: org.electronjs.Electron2.BaseApp
base-version: '24.08'
command: tapedeck
finish-args:
  - --share=ipc
  - --share=network
  - --socket=wayland
  - --socket=fallback-x11
  - --socket=pulseaudio
  - --device=dri
  - --talk-name=org.freedesktop.secrets
  - --talk-name=org.freedesktop.Notifications
  - --talk-name=org.kde.StatusNotifierWatcher
modules:
  - name: tapedeck
    buildsystem: simple
    sources:
      - type: file
        only-arches: [x86_64]
        url: ${debX64.url}
        sha256: ${debX64.sha256}
        dest-filename: tapedeck.deb
      - type: file
        only-arches: [aarch64]
        url: ${debArm64.url}
        sha256: ${debArm64.sha256}
        dest-filename: tapedeck.deb
      - type: script
        dest-filename: tapedeck.sh
        commands:
          - exec zypak-wrapper /app/tapedeck/tapedeck "$@"
    build-commands:
      - ar x tapedeck.deb && tar -xf data.tar.*
      - mv opt/Tapedeck /app/tapedeck
      - install -Dm755 tapedeck.sh /app/bin/tapedeck
      - |
        for icon in usr/share/icons/hicolor/*/apps/tapedeck.png; do
          install -Dm644 "$icon" "/app/\${icon#usr/}"
          mv "/app/\${icon#usr/}" "/app/$(dirname "\${icon#usr/}")/${APP_ID}.png"
        done
      - sed -e 's|^Exec=/opt/Tapedeck/tapedeck|Exec=tapedeck|' -e 's|^Icon=.*|Icon=${APP_ID}|' -i usr/share/applications/tapedeck.desktop
      - install -Dm644 usr/share/applications/tapedeck.desktop /app/share/applications/${APP_ID}.desktop
      - sed -i 's|>tapedeck.desktop<|>${APP_ID}.desktop<|' usr/share/metainfo/${APP_ID}.metainfo.xml
      - install -Dm644 usr/share/metainfo/${APP_ID}.metainfo.xml /app/share/metainfo/${APP_ID}.metainfo.xml
`,
})

/** A version as pacman has it. */
const pkgver = (version) => version.replaceAll('-', '_')

function pkgbuild({ version, homepage, license }, { name, description, depends, x64, arm64, install }) {
  const list = (words) => words.map((word) => `'${word}'`).join(' ')
  return `# Maintainer: The Tapedeck authors <authors@tapedeck.invalid>
pkgname=${name}
pkgver=${pkgver(version)}
pkgrel=1
pkgdesc='${briefly(description)}'
arch=('x86_64' 'aarch64')
url='${homepage}'
license=('${license}')
depends=(${list(depends)})
provides=('tapedeck')
conflicts=('tapedeck')
options=('!strip' '!debug')
source_x86_64=('${x64.url}')
source_aarch64=('${arm64.url}')
sha256sums_x86_64=('${x64.sha256}')
sha256sums_aarch64=('${arm64.sha256}')

package() {
${install.map((line) => `  ${line}\n`).join('')}}
`
}

const aur = (about, { debX64, debArm64, cliX64, cliArm64 }) => ({
  'aur/tapedeck-bin/PKGBUILD': pkgbuild(about, {
    name: 'tapedeck-bin',
    description: about.description,
    depends: ['alsa-lib', 'gtk3', 'libnotify', 'libsecret', 'libxss', 'libxtst', 'mesa', 'nss', 'xdg-utils'],
    x64: debX64,
    arm64: debArm64,
    install: [
      'bsdtar -xf data.tar.* -C "$pkgdir"',
      'install -d "$pkgdir/usr/bin"',
      'ln -s /opt/Tapedeck/tapedeck "$pkgdir/usr/bin/tapedeck"',
      'chmod 4755 "$pkgdir/opt/Tapedeck/chrome-sandbox"',
      'install -d "$pkgdir/usr/share/zsh/site-functions"',
      'mv "$pkgdir/usr/share/zsh/vendor-completions/_tapedeck" "$pkgdir/usr/share/zsh/site-functions/"',
      'rmdir "$pkgdir/usr/share/zsh/vendor-completions"',
      'install -Dm644 "$pkgdir/opt/Tapedeck/resources/LICENSE.txt" "$pkgdir/usr/share/licenses/$pkgname/LICENSE"',
    ],
  }),
  'aur/tapedeck-cli-bin/PKGBUILD': pkgbuild(about, {
    name: 'tapedeck-cli-bin',
    description: 'Record markets without a display, and play them back exactly',
    depends: ['gcc-libs', 'glibc'],
    x64: cliX64,
    arm64: cliArm64,
    install: [
      'install -d "$pkgdir/usr"',
      'cp -a tapedeck-cli-*/. "$pkgdir/usr/"',
      'install -d "$pkgdir/usr/share/zsh/site-functions"',
      'mv "$pkgdir/usr/share/zsh/vendor-completions/_tapedeck" "$pkgdir/usr/share/zsh/site-functions/"',
      'rmdir "$pkgdir/usr/share/zsh/vendor-completions"',
      'install -Dm644 -t "$pkgdir/usr/lib/systemd/system" "$pkgdir"/usr/share/doc/tapedeck-cli/examples/*.service',
      'install -Dm644 "$pkgdir/usr/share/doc/tapedeck-cli/LICENSE" "$pkgdir/usr/share/licenses/$pkgname/LICENSE"',
    ],
  }),
})

/**
 * Every recipe by its path.
 * @param {About} about
 * @param {Published} files
 * @returns {Readonly<Record<string, string>>}
 */
export const recipes = (about, files) => ({
  ...winget(about, files),
  ...homebrew(about, files),
  ...flatpak(about, files),
  ...aur(about, files),
})
