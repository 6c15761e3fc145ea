/**
 * Globals that every host has (browser, worker, Node) but the plain ES library does not declare.
 * Included by tsconfig.pure.json only: the DOM and Node type sets bring their own.
 */
declare class TextDecoder {
  constructor(label?: string, options?: { readonly fatal?: boolean; readonly ignoreBOM?: boolean })
  decode(input?: Uint8Array): string
}

declare class TextEncoder {
  encode(input?: string): Uint8Array<ArrayBuffer>
  encodeInto(source: string, destination: Uint8Array): { read: number; written: number }
}

declare class URL {
  constructor(url: string, base?: string)
  static canParse(url: string, base?: string): boolean
  readonly origin: string
  hash: string
  host: string
  hostname: string
  href: string
  password: string
  pathname: string
  port: string
  protocol: string
  search: string
  readonly searchParams: { get(name: string): string | null }
  username: string
}
