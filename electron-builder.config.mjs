// What the packages hold and look like. `npm run pack` makes the folder, `npm run dist` the installers of this system.
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Set by scripts/pack.mjs where no Electron can be had: the folder is packed around a placeholder. */
const placeholder = process.env.TAPEDECK_PLACEHOLDER_DIST
/** Where updates are published; without it the packages carry no address and never ask for one. */
const updates = process.env.TAPEDECK_UPDATE_URL
// On Linux nothing but TLS says who sent an update.
if (updates && !updates.startsWith('https://')) throw new Error('TAPEDECK_UPDATE_URL has to begin with https://')
/** Whether a certificate was given. The hardened runtime without one refuses to load the app's own frameworks. */
const signs = Boolean(process.env.CSC_LINK || process.env.CSC_NAME)
const notarise = signs && Boolean(process.env.APPLE_API_KEY || process.env.APPLE_ID)
const only = (folder, keep) => [`!${folder}/*`, `${folder}/${keep}`]
const BOTH = ['x64', 'arm64']
const forBoth = (...targets) => targets.map((target) => ({ target, arch: BOTH }))

/** The Electron that is installed, for packages of this very machine; for others electron-builder fetches theirs. */
export function installedFor({ platformName, arch }) {
  const own = platformName === process.platform && arch === process.arch
  return own && existsSync(join('node_modules', 'electron', 'dist')) ? 'node_modules/electron/dist' : null
}

/** @type {import('electron-builder').Configuration} */
export default {
  appId: 'app.tapedeck.Tapedeck',
  productName: 'Tapedeck',
  copyright: 'Copyright © The Tapedeck authors',
  directories: { output: 'dist', buildResources: 'packaging' },
  artifactName: '${productName}-${version}-${os}-${arch}.${ext}',
  files: [
    'out/**',
    '!out/bundled/**',
    'resources/demo/**',
    'resources/icons/**',
    'package.json',
    '!**/*.{map,d.ts,d.mts,d.cts,md,markdown,gyp,gypi,c,cc,cpp,h}',
    '!node_modules/better-sqlite3/{deps,src}/**',
    ...only('node_modules/better-sqlite3/prebuilds', '${platform}-${arch}.node'),
    // A release is made where those of both processors are installed.
    '!node_modules/@napi-rs/keyring-*/**',
    'node_modules/@napi-rs/keyring-${platform}-${arch}*/**',
    '!node_modules/**/{test,tests,docs,example,examples,benchmark,.github}/**',
    '!node_modules/undici/{docs,types,scripts}/**',
    // The same once more for other loaders; and what only the command line of js-yaml takes.
    '!node_modules/valibot/dist/{index.cjs,index.min.*}',
    '!node_modules/js-yaml/{dist,bin}/**',
    '!node_modules/argparse/**',
    // Headers for compiling what is shipped compiled.
    '!node_modules/node-addon-api/**',
    'resources/demo/**',
  ],
  extraResources: [
    { from: 'out/THIRD-PARTY-NOTICES.txt', to: 'THIRD-PARTY-NOTICES.txt' },
    { from: 'LICENSE', to: 'LICENSE.txt' },
    { from: 'packaging/bin', to: 'bin' },
  ],
  asar: true,
  asarUnpack: ['**/*.node'],
  // Both native modules are prebuilt for Node-API: one binary serves Node and Electron.
  npmRebuild: false,
  nodeGypRebuild: false,
  ...(placeholder
    ? { electronDist: placeholder }
    : {
        electronDist: installedFor,
        electronFuses: {
          runAsNode: false,
          enableCookieEncryption: true,
          enableNodeOptionsEnvironmentVariable: false,
          enableNodeCliInspectArguments: false,
          enableEmbeddedAsarIntegrityValidation: true,
          onlyLoadAppFromAsar: true,
          loadBrowserProcessSpecificV8Snapshot: false,
          grantFileProtocolExtraPrivileges: false,
        },
      }),
  electronLanguages: ['en-US', 'en-GB', 'de', 'es', 'fr', 'it', 'ja', 'pt-BR', 'zh-CN'],
  fileAssociations: [
    {
      ext: 'tapedeck',
      name: 'Tapedeck recording',
      description: 'A recorded market session',
      mimeType: 'application/x-tapedeck',
      role: 'Editor',
      icon: 'icon',
    },
  ],
  protocols: [{ name: 'Tapedeck', schemes: ['tapedeck'] }],
  // Whether it is for the stable or the beta channel is told by the version.
  publish: updates ? [{ provider: 'generic', url: updates }] : null,
  generateUpdatesFilesForAllChannels: true,

  linux: {
    target: forBoth('deb', 'rpm', 'AppImage'),
    executableName: 'tapedeck',
    icon: 'icons',
    category: 'Office;Finance;',
    synopsis: 'Market terminal that records everything and plays it back',
    maintainer: 'The Tapedeck authors <authors@tapedeck.invalid>',
    vendor: 'Tapedeck',
    syncDesktopName: true,
    desktop: {
      entry: {
        Name: 'Tapedeck',
        GenericName: 'Market terminal',
        Keywords: 'market;trading;stocks;forex;crypto;chart;replay;',
        StartupNotify: 'true',
        SingleMainWindow: 'true',
        Actions: 'sessions;demo;',
      },
      desktopActions: {
        sessions: { Name: 'Recorded sessions', Exec: 'tapedeck tapedeck://sessions' },
        demo: { Name: 'Demo market', Exec: 'tapedeck tapedeck://demo' },
      },
    },
  },
  deb: { afterRemove: 'packaging/after-remove.tpl' },
  rpm: { afterRemove: 'packaging/after-remove.tpl' },
  mac: {
    // A Mac updates itself from the zip.
    target: forBoth('dmg', 'zip'),
    icon: 'icon.icns',
    category: 'public.app-category.finance',
    hardenedRuntime: signs,
    gatekeeperAssess: false,
    entitlements: 'packaging/entitlements.mac.plist',
    entitlementsInherit: 'packaging/entitlements.mac.plist',
    notarize: notarise,
  },
  win: {
    target: forBoth('nsis'),
    icon: 'icon.ico',
  },
  nsis: {
    oneClick: true,
    perMachine: false,
    // One of each processor: one for both would be twice as large.
    buildUniversalInstaller: false,
    // Recordings are the user's: uninstalling leaves them, and says where.
    deleteAppDataOnUninstall: false,
    include: 'packaging/installer.nsh',
  },
}
