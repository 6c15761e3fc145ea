/** Sends a user's file to the terminal in chunks, the same way in every host. */
import { FILE_PIECE } from '../../../shared/features/import/contract.ts'
import type { Failure, Result } from '../../../shared/base/errors.ts'
import type { Transport } from '../../../shared/transport.ts'
import { t } from '../../../shared/base/text.ts'

/** The part of `File` that is needed. */
export interface SentFile {
  readonly name: string
  readonly size: number
  slice(from: number, to: number): { arrayBuffer(): Promise<ArrayBuffer> }
}

const CANCELLED: Failure = { code: 'cancelled', message: t('The file wasn’t transferred completely. Try again.') }

/**
 * Sends a file and returns its id at the terminal. `onSent` gets the number of bytes sent so far. On abort or
 * failure, the terminal drops the partial file.
 */
export async function sendFile(
  transport: Transport,
  file: SentFile,
  signal: AbortSignal,
  onSent: (bytes: number) => void,
): Promise<Result<string>> {
  const begun = await transport.invoke('files.begin', { name: file.name.slice(-255), bytes: file.size })
  if (!begun.ok) return begun
  const { file: id } = begun.value
  const failed = (error: Failure): Result<string> => {
    void transport.invoke('files.drop', { file: id })
    return { ok: false, error }
  }
  for (let offset = 0; offset < file.size; offset += FILE_PIECE) {
    if (signal.aborted) return failed(CANCELLED)
    let bytes: Uint8Array
    try {
      bytes = new Uint8Array(await file.slice(offset, Math.min(file.size, offset + FILE_PIECE)).arrayBuffer())
    } catch {
      return failed({
        code: 'disk-error',
        message: t('{name} can’t be read anymore.', { name: file.name }),
        hint: t('Choose it again.'),
      })
    }
    const sent = await transport.invoke('files.chunk', { file: id, offset, data: base64Of(bytes) })
    if (!sent.ok) return failed(sent.error)
    onSent(offset + bytes.length)
  }
  if (signal.aborted) return failed(CANCELLED)
  const ended = await transport.invoke('files.end', { file: id })
  return ended.ok ? { ok: true, value: id } : failed(ended.error)
}

/** Splits files given together into the one to import and its manifest. `problem` says why that isn't possible. */
export function partFiles<T extends { readonly name: string }>(
  given: readonly T[],
): { readonly file: T | undefined; readonly manifest: T | undefined; readonly problem: string | null } {
  const isManifest = ({ name }: T): boolean => name.endsWith(MANIFEST)
  const [file, ...more] = given.filter((one) => !isManifest(one))
  const manifest = file && given.find((one) => one.name === `${file.name}${MANIFEST}`)
  const problem =
    file === undefined
      ? t('This is a manifest. Choose the exported file along with it.')
      : more.length > 0
        ? t('Import one file at a time, optionally with its manifest.')
        : null
  return { file: more.length > 0 ? undefined : file, manifest, problem }
}
const MANIFEST = '.manifest.json'

/** Encodes bytes as base64. */
export function base64Of(bytes: Uint8Array): string {
  let text = ''
  for (let i = 0; i < bytes.length; i += 8_192) text += String.fromCharCode(...bytes.subarray(i, i + 8_192))
  return btoa(text)
}
