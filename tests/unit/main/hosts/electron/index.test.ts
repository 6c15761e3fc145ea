import { expect, test, vi } from 'vitest'
import type { HostOptions } from '../../../../../src/main/terminal/host.ts'

const { shell, made } = vi.hoisted(() => ({
  shell: { openExternal: vi.fn(() => Promise.resolve()) },
  made: { start: undefined as ((desktop: object) => Promise<unknown>) | undefined },
}))
vi.mock('electron', () => ({
  app: { isPackaged: false, getAppPath: () => '/app', getVersion: () => '1.0.0' },
  dialog: {},
  shell,
}))
vi.mock('../../../../../src/main/hosts/electron/app.ts', () => ({
  runElectronApp: ({ start }: { start: (desktop: object) => Promise<unknown> }) => {
    made.start = start
  },
}))
vi.mock('../../../../../src/main/hosts/electron/updater.ts', () => ({
  installedUpdater: () => Promise.resolve(undefined),
}))
vi.mock('../../../../../src/main/hosts/electron/command.ts', () => ({ runElectronCommand: vi.fn() }))
vi.mock('../../../../../src/main/hosts/open-terminal.ts', () => ({ openTerminal: (options: HostOptions) => options }))

test('the app gives the system web addresses and nothing else to open', async () => {
  await import('../../../../../src/main/index.ts')
  const options = (await made.start?.({ notify: undefined, install: undefined })) as HostOptions
  for (const url of ['file:///etc/passwd', 'javascript:alert(1)', 'ms-msdt:/id', 'tapedeck://x', 'nonsense', '']) {
    await options.openExternal?.(url)
  }
  expect(shell.openExternal).not.toHaveBeenCalled()
  await options.openExternal?.('https://example.test/a?b#c')
  expect(shell.openExternal).toHaveBeenCalledExactlyOnceWith('https://example.test/a?b#c')
})
