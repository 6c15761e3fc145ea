/** Renders the SVG of a figure (lines, boxes, paths, circles, texts) to a canvas. */

export interface PictureText {
  /** Shown above the figure. */
  readonly title: string
  /** The legend entries, each with the CSS color of its series. */
  readonly legend: readonly { readonly text: string; readonly colour: string }[]
}

const SCALE = 2

/**
 * A PNG of a figure at twice its size. Rendering the SVG as an image would lose the page's styles and fonts, so each
 * shape is drawn with its computed style.
 */
export async function svgPicture(svg: SVGSVGElement, text: PictureText): Promise<Blob> {
  const page = getComputedStyle(document.documentElement)
  // The same text size as in the figure.
  const size = (parseFloat(page.fontSize) || 16) / 16
  const head = 44 * size
  const width = svg.width.baseVal.value
  const height = svg.height.baseVal.value
  const canvas = document.createElement('canvas')
  canvas.width = Math.ceil(width * SCALE)
  canvas.height = Math.ceil((height + head) * SCALE)
  const ctx = canvas.getContext('2d')
  if (ctx === null) throw new Error('no-canvas')
  const own = getComputedStyle(svg)
  ctx.scale(SCALE, SCALE)
  ctx.fillStyle = page.getPropertyValue('--pane').trim() || '#ffffff'
  ctx.fillRect(0, 0, width, height + head)
  ctx.fillStyle = own.color
  ctx.font = `600 ${12 * size}px ${own.fontFamily}`
  ctx.fillText(text.title, 8, 18 * size, width - 16)
  ctx.font = `${11 * size}px ${own.fontFamily}`
  let x = 8
  for (const one of text.legend) {
    ctx.fillStyle = one.colour
    ctx.fillRect(x, 28 * size, 8 * size, 8 * size)
    ctx.fillStyle = own.color
    ctx.fillText(one.text, x + 12 * size, 36 * size)
    x += 28 * size + ctx.measureText(one.text).width
  }
  ctx.translate(0, head)
  for (const shape of svg.querySelectorAll('line, rect, path, circle, text')) draw(ctx, shape)
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob === null ? reject(new Error('no-picture')) : resolve(blob)), 'image/png'),
  )
}

function draw(ctx: CanvasRenderingContext2D, shape: Element): void {
  const style = getComputedStyle(shape)
  const number = (name: string): number => Number(shape.getAttribute(name) ?? 0)
  if (shape.tagName === 'text') {
    ctx.font = `${style.fontSize} ${style.fontFamily}`
    ctx.textAlign = style.textAnchor === 'end' ? 'right' : style.textAnchor === 'middle' ? 'center' : 'left'
    ctx.fillStyle = style.fill
    ctx.fillText(shape.textContent, number('x'), number('y'))
    return
  }
  const path = new Path2D()
  if (shape.tagName === 'line') {
    path.moveTo(number('x1'), number('y1'))
    path.lineTo(number('x2'), number('y2'))
  } else if (shape.tagName === 'rect') path.rect(number('x'), number('y'), number('width'), number('height'))
  else if (shape.tagName === 'circle') path.arc(number('cx'), number('cy'), number('r'), 0, Math.PI * 2)
  else path.addPath(new Path2D(shape.getAttribute('d') ?? ''))
  if (style.fill !== 'none' && shape.tagName !== 'line') {
    ctx.fillStyle = style.fill
    ctx.fill(path)
  }
  if (style.stroke !== 'none') {
    ctx.strokeStyle = style.stroke
    ctx.lineWidth = parseFloat(style.strokeWidth) || 1
    ctx.stroke(path)
  }
}
