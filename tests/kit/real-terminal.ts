/** A real terminal with its worker threads, as a host opens it, and its streams. Slower than one in memory. */
import { openTerminal, type Terminal } from '../../src/main/hosts/open-terminal.ts'
import type { HostOptions } from '../../src/main/terminal/host.ts'
import { openStream } from '../../src/main/rpc/dispatch.ts'
import type { StreamName, StreamValue } from '../../src/shared/contracts.ts'

const root = new URL('../../', import.meta.url)
export const DEMO_DATA = new URL('resources/demo/', root)

/** The sources of its threads. */
export const WORKERS: HostOptions['workers'] = {
  store: new URL('src/main/store-worker.ts', root),
  reader: new URL('src/main/reader-worker.ts', root),
  imports: new URL('src/main/import-worker.ts', root),
  simulator: new URL('src/simulator/worker.ts', root),
}

export const startRealTerminal = (options: Partial<HostOptions> & Pick<HostOptions, 'dataDir'>): Promise<Terminal> =>
  openTerminal({
    host: 'test',
    version: '0.0.0',
    workers: WORKERS,
    demoData: DEMO_DATA,
    memoryKeychain: true,
    ...options,
  })

/** Follows a stream until `until` holds for a value; takes whenever woken, as a carrier would. */
export async function follow<K extends StreamName>(
  terminal: Pick<Terminal, 'handlers'>,
  name: K,
  args: unknown,
  until: (value: StreamValue<K>) => boolean,
): Promise<StreamValue<K>> {
  const found = Promise.withResolvers<StreamValue<K>>()
  const take = () => {
    const value = source.take() as StreamValue<K> | undefined // the stream of this name
    if (value !== undefined && until(value)) found.resolve(value)
  }
  const opened = openStream(terminal.handlers, name, args, () => setImmediate(take))
  if (!opened.ok) throw new Error(opened.error.message)
  const source = opened.value
  take()
  return found.promise.finally(() => source.close())
}
