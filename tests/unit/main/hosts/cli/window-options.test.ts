import { describe, expect, it } from 'vitest'
import { windowOptions } from '../../../../../src/main/hosts/cli/window-options.ts'

describe('words after the app’s name', () => {
  it('say which account the window is of, wherever they stand', () => {
    const env = { TAPEDECK_PASSWORD: 'p', TAPEDECK_API_KEY: 'k' }
    const words = ['--no-sandbox', 'day.tapedeck', '--base-url', 'http://127.0.0.1:1', '--user=odd', 'tapedeck://x']
    expect(windowOptions([...words, '--store', '/tmp/s.db'], env)).toEqual({
      storeFile: '/tmp/s.db',
      source: 'service',
      account: { baseUrl: 'http://127.0.0.1:1', user: 'odd', password: 'p', apiKey: 'k' },
    })
  })
  it('say nothing where there are none: the stored account counts', () => {
    expect(windowOptions([], {})).toEqual({})
    expect(windowOptions(['--inspect=0', '--hidden', '--remote-debugging-port=0'], {})).toEqual({})
  })
  it('may leave out the sample session of a first start', () => {
    expect(windowOptions(['--no-sample'], {})).toEqual({ sample: false })
  })
  it('may ask for the demo market, and for nothing beside it', () => {
    expect(windowOptions(['--demo'], {})).toEqual({ source: 'demo' })
    expect(() => windowOptions(['--demo', '--user', 'me'], {})).toThrow(/--demo/)
  })
})
