/** Saves or copies a picture of a chart and its overlays. */
import { t } from '../../../shared/base/text.ts'
import { saveFile } from '../../base/save-file.ts'
import { FAMILY } from '../../charts/paint/canvas-text.ts'
import type { ChartPort, ChartTheme } from '../../charts/model/chart.ts'

/** Renders the chart and the canvases over its plot to a PNG, with `title` in a corner. Throws without a canvas. */
export async function chartPicture(
  chart: ChartPort,
  host: HTMLElement,
  title: string,
  theme: Pick<ChartTheme, 'text' | 'textScale'>,
): Promise<Blob> {
  const image = new Image()
  image.src = chart.png()
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = image.naturalWidth
  canvas.height = image.naturalHeight
  const ctx = canvas.getContext('2d')
  if (!ctx) throw new Error('this browser gives no canvas')
  ctx.drawImage(image, 0, 0)
  const box = host.getBoundingClientRect()
  const ratio = image.naturalWidth / box.width
  for (const layer of host.parentElement?.querySelectorAll('canvas') ?? []) {
    if (host.contains(layer) || layer.width === 0 || layer.height === 0) continue
    const at = layer.getBoundingClientRect()
    ctx.drawImage(layer, (at.left - box.left) * ratio, (at.top - box.top) * ratio, at.width * ratio, at.height * ratio)
  }
  const size = ratio * theme.textScale
  ctx.font = `600 ${13 * size}px ${FAMILY}`
  ctx.fillStyle = theme.text
  ctx.fillText(title, 10 * size, 18 * size)
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the picture could not be made'))), 'image/png'),
  )
}

/** Saves a picture under a name, or copies it. Returns what to tell the user; null: nothing. */
export async function sendPicture(made: Promise<Blob>, name: string, to: 'file' | 'clipboard'): Promise<string | null> {
  try {
    if (to === 'file') {
      saveFile(name, await made, 'image/png')
      return null
    }
    // Passed as a promise, so the click's permission still applies when the picture is ready.
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': made })])
    return t('Chart picture copied.')
  } catch {
    return t('The browser blocked the clipboard. Use Export to save the picture as a file.')
  }
}
