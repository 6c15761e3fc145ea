/** Sessions as files, as their users see it. */
import type { RecordingId } from '../../../shared/base/units.ts'

/** What packing answers. */
export interface Packed {
  readonly file: string
  readonly messages: number
  readonly bytes: number
  /** Of the whole file. */
  readonly sha256: string
}

/** What opening a session file answers. */
export interface Unpacked {
  readonly recording: RecordingId
  readonly messages: number
  /** The store held it before; nothing was written. */
  readonly already: boolean
}

export interface PackageOptions {
  readonly signal?: AbortSignal | undefined
  /** Fraction from 0 to 1, and messages so far. */
  readonly onProgress?: ((done: number, messages: number) => void) | undefined
}
