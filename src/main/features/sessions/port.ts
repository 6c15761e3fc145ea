/** Session files, as other features use them. */
import type { SessionId } from '../../../shared/base/units.ts'
import type { SafeFileOptions } from '../../base/file-sink.ts'

/** The result of exporting a session file. */
export interface Packed {
  readonly file: string
  readonly messages: number
  readonly bytes: number
  /** SHA-256 of the complete file. */
  readonly sha256: string
}

/** The result of importing a session file. */
export interface Unpacked {
  readonly session: SessionId
  readonly messages: number
  /** The store already had this session, so nothing was written. */
  readonly already: boolean
}

export interface PackageOptions {
  readonly file?: SafeFileOptions | undefined
  readonly signal?: AbortSignal | undefined
  /** Fraction from 0 to 1, and messages so far. */
  readonly onProgress?: ((done: number, messages: number) => void) | undefined
}
