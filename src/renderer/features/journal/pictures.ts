/** Pictures of notes: scaled so that one fits in a call, and read back for display. */
import { MAX_PICTURE_BASE64 } from '../../../shared/features/journal/note.ts'

const SMALLER = 0.75
const JPEG_QUALITY = 0.85

/** A picture in Base64 that fits in a call: as it is if it does, else as a JPEG, smaller and smaller. Rejects if it is none. */
export async function pictureBase64(blob: Blob): Promise<string> {
  if (blob.type === 'image/png' || blob.type === 'image/jpeg') {
    const text = await base64Of(blob)
    if (text.length <= MAX_PICTURE_BASE64) return text
  }
  const image = await createImageBitmap(blob)
  for (let scale = 1; ; scale *= SMALLER) {
    const canvas = document.createElement('canvas')
    canvas.width = Math.max(1, Math.round(image.width * scale))
    canvas.height = Math.max(1, Math.round(image.height * scale))
    const context = canvas.getContext('2d')
    if (context === null) throw new Error('this browser gives no canvas')
    context.drawImage(image, 0, 0, canvas.width, canvas.height)
    const made = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', JPEG_QUALITY))
    if (made === null) throw new Error('the picture could not be made')
    const text = await base64Of(made)
    if (text.length <= MAX_PICTURE_BASE64) return text
  }
}

async function base64Of(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer())
  let text = ''
  // In parts: a call takes a limited number of arguments.
  for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192))
  return btoa(text)
}

/** The address of a picture in Base64, for an image element. */
export const pictureAddress = (file: string, base64: string): string =>
  `data:image/${file.endsWith('.png') ? 'png' : 'jpeg'};base64,${base64}`

/** The first picture on the clipboard or among dropped files; null if there is none. */
export const pictureIn = (items: DataTransfer | null): File | null =>
  [...(items?.files ?? [])].find((file) => /^image\/(png|jpeg|webp)$/.test(file.type)) ?? null
