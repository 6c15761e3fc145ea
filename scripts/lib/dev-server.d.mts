/** Types of dev-server.mjs, for its test. */
export interface DevServer {
  readonly port: number
  addressOf(url: string): string
  close(): Promise<void>
}
export function startDevServer(options: {
  readonly hostUrl: string
  readonly port?: number
  readonly logLevel?: 'silent' | 'warn' | 'info'
}): Promise<DevServer>
