export interface Scene {
  readonly name: string
}
export declare const LIVE: readonly Scene[]
export declare const GUIDE: readonly Scene[]
