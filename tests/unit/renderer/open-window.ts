/** A window over a transport, with its features, for tests. */
import { WindowState } from '../../../src/renderer/core/window/window.svelte.ts'
import type { Command } from '../../../src/renderer/core/window/command.ts'
import type { QuotesClocks } from '../../../src/renderer/core/market/quotes.svelte.ts'
import { FEATURES } from '../../../src/renderer/features.ts'
import type { Transport } from '../../../src/shared/rpc/transport.ts'
import { FakeTerminal } from './fakes/fake-terminal.ts'

export function openWindow(transport: Transport, clocks: QuotesClocks = {}): WindowState {
  const app = new WindowState(transport, clocks)
  app.start(FEATURES)
  return app
}

/** Every command of a window. */
export function commandsOf(): readonly Command[] {
  const app = openWindow(new FakeTerminal())
  try {
    return app.parts.commands.all
  } finally {
    app.close()
  }
}
