/** Session files, as other features use them. */
import type { SafeFileOptions } from '../../base/file-sink.ts'

export interface PackageOptions {
  readonly file?: SafeFileOptions | undefined
  readonly signal?: AbortSignal | undefined
  /** Fraction from 0 to 1, and messages so far. */
  readonly onProgress?: ((done: number, messages: number) => void) | undefined
}
