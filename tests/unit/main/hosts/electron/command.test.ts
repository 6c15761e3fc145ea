import { describe, expect, it } from 'vitest'
import { runElectronCommand, type CommandApp } from '../../../../../src/main/hosts/electron/command.ts'

function fakeApp() {
  const done: string[] = []
  const ready = Promise.withResolvers<void>()
  const beforeQuit: Parameters<CommandApp['on']>[1][] = []
  const app: CommandApp = {
    commandLine: { appendSwitch: (name, value) => void done.push(`--${name}=${value}`) },
    disableHardwareAcceleration: () => void done.push('no GPU'),
    whenReady: () => ready.promise,
    exit: (code) => void done.push(`exit ${code}`),
    dock: undefined,
    on: (_event, listener) => beforeQuit.push(listener),
  }
  /** As Electron does on a signal: quits, unless a listener prevents it. */
  const quit = () => {
    let prevented = false
    for (const listener of beforeQuit) listener({ preventDefault: () => (prevented = true) })
    if (!prevented) done.push('quit')
  }
  return { app, done, ready, quit }
}

describe('a command inside Electron', () => {
  it('asks for no display before Electron is ready, and runs only after', async () => {
    const { app, done, ready } = fakeApp()
    const ran = runElectronCommand(app, 'linux', () => {
      done.push('run')
      return Promise.resolve(1)
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(done).toEqual(['--ozone-platform=headless', 'no GPU'])
    ready.resolve()
    await ran
    expect(done).toEqual(['--ozone-platform=headless', 'no GPU', 'run', 'exit 1'])
  })

  it('lets nothing but the command end the process', async () => {
    const { app, done, ready, quit } = fakeApp()
    const command = Promise.withResolvers<number>()
    const ran = runElectronCommand(app, 'win32', () => command.promise)
    quit()
    ready.resolve()
    await new Promise((resolve) => setImmediate(resolve))
    quit()
    expect(done).toEqual([])
    command.resolve(130)
    await ran
    expect(done).toEqual(['exit 130'])
  })

  it('leaves the display of other systems alone', async () => {
    const { app, done, ready } = fakeApp()
    ready.resolve()
    await runElectronCommand(app, 'win32', () => Promise.resolve(0))
    expect(done).toEqual(['exit 0'])
  })
})
