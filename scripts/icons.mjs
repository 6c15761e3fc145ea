// Draws the icons of the packages from resources/icon.svg: PNGs for Linux, an .ico and an .icns that hold them.
// Run after the drawing changed; what comes of it is committed. Chromium renders.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { findChromium } from './lib/chromium.mjs'
import { root } from './lib/ensure.mjs'

const LINUX_SIZES = [16, 24, 32, 48, 64, 128, 256, 512]
const ICO_SIZES = [16, 24, 32, 48, 64, 128, 256]
/** Kinds of an .icns entry that hold a PNG, by its size: Apple's "Icon Services" constants. */
const ICNS_KINDS = { icp4: 16, icp5: 32, ic07: 128, ic08: 256, ic09: 512, ic10: 1024 }

async function render(sizes, change = (svg) => svg) {
  const svg = change(readFileSync(join(root, 'resources', 'icon.svg'), 'utf8'))
  const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox', '--disable-gpu'] })
  const pictures = new Map()
  for (const size of sizes) {
    const page = await browser.newPage({ viewport: { width: size, height: size }, deviceScaleFactor: 1 })
    await page.setContent(
      `<style>html,body{margin:0;background:transparent}svg{display:block;width:${size}px;height:${size}px}</style>${svg}`,
    )
    pictures.set(size, await page.screenshot({ omitBackground: true }))
    await page.close()
  }
  await browser.close()
  return pictures
}

/** An .ico of PNGs: a directory of 16-byte rows, then the pictures. 256 is written as 0. */
function ico(pictures) {
  const head = Buffer.alloc(6 + 16 * ICO_SIZES.length)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(ICO_SIZES.length, 4)
  let at = head.length
  ICO_SIZES.forEach((size, i) => {
    const row = 6 + 16 * i
    const { length } = pictures.get(size)
    head.writeUInt8(size % 256, row)
    head.writeUInt8(size % 256, row + 1)
    head.writeUInt16LE(1, row + 4)
    head.writeUInt16LE(32, row + 6)
    head.writeUInt32LE(length, row + 8)
    head.writeUInt32LE(at, row + 12)
    at += length
  })
  return Buffer.concat([head, ...ICO_SIZES.map((size) => pictures.get(size))])
}

/** An .icns of PNGs: the magic and the length, then entries of a kind, a length and a picture. */
function icns(pictures) {
  const entries = Object.entries(ICNS_KINDS).map(([kind, size]) => {
    const head = Buffer.alloc(8)
    head.write(kind, 'latin1')
    head.writeUInt32BE(pictures.get(size).length + 8, 4)
    return Buffer.concat([head, pictures.get(size)])
  })
  const head = Buffer.alloc(8)
  head.write('icns', 'latin1')
  head.writeUInt32BE(8 + entries.reduce((sum, entry) => sum + entry.length, 0), 4)
  return Buffer.concat([head, ...entries])
}

const pictures = await render([...new Set([...LINUX_SIZES, ...ICO_SIZES, ...Object.values(ICNS_KINDS)])])
mkdirSync(join(root, 'packaging', 'icons'), { recursive: true })
for (const size of LINUX_SIZES) {
  writeFileSync(join(root, 'packaging', 'icons', `${size}x${size}.png`), pictures.get(size))
}
writeFileSync(join(root, 'packaging', 'icon.ico'), ico(pictures))
writeFileSync(join(root, 'packaging', 'icon.icns'), icns(pictures))
// The window and the tray load theirs at run time; the tray's has a red dot while something is recorded.
for (const size of [32, 256]) {
  writeFileSync(join(root, 'resources', 'icons', `tapedeck-${size}.png`), pictures.get(size))
}
const dot = '<circle cx="800" cy="224" r="180" fill="#EF5B6B" stroke="#0E1116" stroke-width="48" /></svg>'
const recording = await render([32], (svg) => svg.replace('</svg>', dot))
writeFileSync(join(root, 'resources', 'icons', 'tapedeck-32-recording.png'), recording.get(32))
console.log('packaging/icons, icon.ico, icon.icns and resources/icons are drawn')
