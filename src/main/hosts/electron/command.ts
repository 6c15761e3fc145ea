/** A command of the command line inside Electron: what must be set before it is ready, and what must wait until then. */
import type { App, Event } from 'electron'

/** The parts of Electron's app that a command needs. */
export type CommandApp = Pick<App, 'whenReady' | 'disableHardwareAcceleration' | 'exit' | 'dock'> & {
  readonly commandLine: Pick<App['commandLine'], 'appendSwitch'>
  on(event: 'before-quit', listener: (event: Pick<Event, 'preventDefault'>) => void): unknown
}

/**
 * Runs a command and exits with its code: no window, no place in the dock, no part in the single instance. On Linux it
 * needs no display. `run` is called once Electron is ready: its own signal handlers, installed while it starts, would
 * replace earlier ones, and Ctrl+C would leave a session open. Until it ends, Electron doesn't quit by itself, as it
 * would on a signal: with code 0 and the session open.
 */
export async function runElectronCommand(
  app: CommandApp,
  platform: NodeJS.Platform,
  run: (exit: (code: number) => void) => Promise<number>,
): Promise<void> {
  app.on('before-quit', (event) => event.preventDefault())
  if (platform === 'darwin') app.dock?.hide()
  if (platform === 'linux') {
    app.commandLine.appendSwitch('ozone-platform', 'headless')
    app.disableHardwareAcceleration()
  }
  await app.whenReady()
  app.exit(await run((code) => app.exit(code)))
}
