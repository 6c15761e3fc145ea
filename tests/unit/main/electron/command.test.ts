import { describe, expect, it } from 'vitest'
import { runElectronCommand, type CommandApp } from '../../../../src/main/electron/command.ts'

function fakeApp() {
  const done: string[] = []
  const ready = Promise.withResolvers<void>()
  const app: CommandApp = {
    commandLine: { appendSwitch: (name, value) => void done.push(`--${name}=${value}`) },
    disableHardwareAcceleration: () => void done.push('no GPU'),
    whenReady: () => ready.promise,
    exit: (code) => void done.push(`exit ${code}`),
    dock: undefined,
  }
  return { app, done, ready }
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

  it('leaves the display of other systems alone', async () => {
    const { app, done, ready } = fakeApp()
    ready.resolve()
    await runElectronCommand(app, 'win32', () => Promise.resolve(0))
    expect(done).toEqual(['exit 0'])
  })
})
