/** What tests read of the packages' configuration. */
interface Target {
  readonly target: string
  readonly arch: readonly string[]
}
interface System {
  readonly target: readonly Target[]
}

/** The folder of the Electron that is installed; null: it is of another system or processor, or there is none. */
export function installedFor(of: { readonly platformName: string; readonly arch: string }): string | null

declare const config: {
  readonly files: readonly string[]
  readonly linux: System
  readonly mac: System & { readonly hardenedRuntime: boolean; readonly notarize: boolean }
  readonly win: System
  readonly nsis: { readonly buildUniversalInstaller: boolean }
  readonly publish: readonly { readonly provider: string; readonly url: string; readonly channel?: string }[] | null
}
export default config
