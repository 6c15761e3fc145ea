/** Types of sbom.mjs, for its tests. */
export interface Shipped {
  readonly name: string
  readonly version: string
  readonly licence: string
  readonly integrity?: string | undefined
}
export interface Component {
  readonly type: string
  readonly name: string
  readonly group?: string
  readonly version: string
  readonly purl: string
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[]
  readonly licenses: readonly object[]
}
export interface Bom {
  readonly serialNumber: string
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}
export function cycloneDx(
  about: { readonly name: string; readonly version: string; readonly description: string; readonly license: string },
  packages: readonly Shipped[],
  platforms: readonly (Shipped & { readonly purl: string })[],
  timestamp: string,
): Bom
