// What the packages contain. `npm run pack` builds the folder, `npm run dist` the installers for this system.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fpmArguments } from './scripts/lib/linux-files.mjs'

/** Set by scripts/pack.mjs if Electron isn't available: the folder is packed around a placeholder. */
const placeholder = process.env.TAPEDECK_PLACEHOLDER_DIST
/** Where updates are published. Without it, packages contain no address and never look for updates. */
const updates = process.env.TAPEDECK_UPDATE_URL
// On Linux only TLS authenticates an update.
if (updates && !updates.startsWith('https://')) throw new Error('TAPEDECK_UPDATE_URL has to begin with https://')
/** Whether there is a certificate. Without one, the hardened runtime refuses to load the app's own frameworks. */
const signs = Boolean(process.env.CSC_LINK || process.env.CSC_NAME)
const notarise = signs && Boolean(process.env.APPLE_API_KEY || process.env.APPLE_ID)
const only = (folder, keep) => [`!${folder}/*`, `${folder}/${keep}`]
const BOTH = ['x64', 'arm64']
const forBoth = (...targets) => targets.map((target) => ({ target, arch: BOTH }))

/** What Electron, SQLite and the package's scripts need on Debian and Ubuntu; the names with t64 are those of 2024 and later. */
const DEB_DEPENDS = [
  'libasound2t64 | libasound2',
  'libatk-bridge2.0-0',
  'libatk1.0-0',
  'libatspi2.0-0',
  'libc6 (>= 2.34)',
  'libcairo2',
  'libcups2',
  'libdbus-1-3',
  'libdrm2',
  'libexpat1',
  'libgbm1',
  'libgcc-s1',
  'libglib2.0-0',
  'libgtk-3-0',
  'libnotify4',
  'libnspr4',
  'libnss3',
  'libpango-1.0-0',
  'libsecret-1-0',
  'libstdc++6 (>= 11)',
  'libudev1',
  'libuuid1',
  'libx11-6',
  'libxcb1',
  'libxcomposite1',
  'libxdamage1',
  'libxext6',
  'libxfixes3',
  'libxkbcommon0',
  'libxrandr2',
  'libxss1',
  'libxtst6',
  'xdg-utils',
]
/** The same for Fedora and openSUSE, where these bring the rest. */
const RPM_DEPENDS = [
  '(alsa-lib or libasound2)',
  'at-spi2-core',
  'gtk3',
  '(libXScrnSaver or libXss1)',
  '(libXtst or libXtst6)',
  'libnotify',
  '(libuuid or libuuid1)',
  '(mesa-libgbm or libgbm1)',
  '(nss or mozilla-nss)',
  'xdg-utils',
]
/** They run the program by its name, so only packages that put it on the path have them. */
const DESKTOP_ACTIONS = {
  entry: { Actions: 'sessions;demo;' },
  desktopActions: {
    sessions: { Name: 'Recorded sessions', Exec: 'tapedeck tapedeck://sessions' },
    demo: { Name: 'Demo market', Exec: 'tapedeck tapedeck://demo' },
  },
}

/** The installed Electron, if the package is for this platform and processor; electron-builder fetches others. */
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
    '!out/{bundled,linux}/**',
    'resources/demo/**',
    'resources/icons/**',
    'package.json',
    '!**/*.{map,ts,mts,cts,test.js,md,markdown,gyp,gypi,c,cc,cpp,h}',
    '!node_modules/better-sqlite3/{deps,src}/**',
    ...only('node_modules/better-sqlite3/prebuilds', '${platform}-${arch}.node'),
    // Releases are built with the modules of both processors installed.
    '!node_modules/@napi-rs/keyring-*/**',
    'node_modules/@napi-rs/keyring-${platform}-${arch}*/**',
    '!node_modules/**/{test,tests,docs,example,examples,benchmark,.github}/**',
    '!node_modules/undici/{docs,types,scripts}/**',
    // Only nacl-fast.js is loaded.
    '!node_modules/tweetnacl/{nacl.js,*.min.js}',
    // Duplicates for other module loaders, and what only js-yaml's command line uses.
    '!node_modules/valibot/dist/{index.cjs,index.min.*}',
    '!node_modules/js-yaml/{dist,bin}/**',
    '!node_modules/argparse/**',
    '!node_modules/js-yaml/lib/*.tmp.mjs',
    // Headers for compiling; we ship binaries.
    '!node_modules/node-addon-api/**',
    'resources/demo/**',
  ],
  extraResources: [
    { from: 'out/THIRD-PARTY-NOTICES.txt', to: 'THIRD-PARTY-NOTICES.txt' },
    { from: 'LICENSE', to: 'LICENSE.txt' },
  ],
  asar: true,
  asarUnpack: ['**/*.node'],
  // Both native modules are prebuilt for Node-API, so one binary works in Node and Electron.
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
      name: 'Tapedeck session',
      description: 'A recorded market session',
      mimeType: 'application/x-tapedeck',
      role: 'Editor',
      icon: 'icon',
    },
  ],
  protocols: [{ name: 'Tapedeck', schemes: ['tapedeck'] }],
  // The version decides whether a package is on the stable or the beta channel.
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
        // Not SingleMainWindow, which older validators refuse.
        'X-GNOME-SingleWindow': 'true',
      },
    },
  },
  deb: {
    afterRemove: 'packaging/after-remove.tpl',
    packageCategory: 'utils',
    depends: DEB_DEPENDS,
    fpm: fpmArguments('deb'),
    desktop: DESKTOP_ACTIONS,
  },
  rpm: {
    afterRemove: 'packaging/after-remove.tpl',
    depends: RPM_DEPENDS,
    fpm: fpmArguments('rpm'),
    desktop: DESKTOP_ACTIONS,
  },
  mac: {
    extraResources: [{ from: 'packaging/bin/tapedeck', to: 'bin/tapedeck' }],
    // macOS updates from the zip.
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
    extraResources: [{ from: 'packaging/bin/tapedeck.cmd', to: 'bin/tapedeck.cmd' }],
    target: forBoth('nsis'),
    icon: 'icon.ico',
  },
  nsis: {
    oneClick: true,
    perMachine: false,
    // One installer per processor: a universal one would be twice as large.
    buildUniversalInstaller: false,
    // Recordings belong to the user: uninstalling keeps them and says where they are.
    deleteAppDataOnUninstall: false,
    include: 'packaging/installer.nsh',
  },
}
