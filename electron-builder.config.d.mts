/** What tests read of the packages' configuration. */
interface Target {
  readonly target: string
  readonly arch: readonly string[]
}
interface Desktop {
  readonly entry: Readonly<Record<string, string>>
  readonly desktopActions?: Readonly<Record<string, { readonly Name: string; readonly Exec: string }>>
}
interface LinuxPackage {
  readonly depends: readonly string[]
  readonly fpm: readonly string[]
  readonly desktop: Desktop
}
interface System {
  readonly target: readonly Target[]
}

/** The folder of the Electron that is installed; null: it is of another system or processor, or there is none. */
export function installedFor(of: { readonly platformName: string; readonly arch: string }): string | null

declare const config: {
  readonly artifactName: string
  readonly files: readonly string[]
  readonly linux: System & { readonly desktop: Desktop }
  readonly deb: LinuxPackage
  readonly rpm: LinuxPackage
  readonly mac: System & { readonly hardenedRuntime: boolean; readonly notarize: boolean }
  readonly win: System
  readonly nsis: { readonly buildUniversalInstaller: boolean }
  readonly publish: readonly { readonly provider: string; readonly url: string; readonly channel?: string }[] | null
}
export default config
