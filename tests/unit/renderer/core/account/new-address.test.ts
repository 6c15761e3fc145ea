// @vitest-environment-options { "url": "http://127.0.0.1:4000/" }
import { afterEach, expect, it, vi } from 'vitest'
import { socketDial } from '../../../../../src/renderer/rpc/transport-socket.ts'
import { pickTransport, reloadOnNewAddress } from '../../../../../src/renderer/rpc/transport.ts'
import { TOKEN_KEY } from '../../../../../src/shared/rpc/handshake.ts'

let stop = (): void => undefined
afterEach(() => stop())

it('reloads the page only for an address with a token that is pasted into the tab', () => {
  let token: string | null = null
  let reloads = 0
  stop = reloadOnNewAddress({ token: () => token }, () => reloads++)
  dispatchEvent(new Event('hashchange'))
  expect(reloads).toBe(0)
  token = 'fresh'
  dispatchEvent(new Event('hashchange'))
  expect(reloads).toBe(1)
  stop()
  dispatchEvent(new Event('hashchange'))
  expect(reloads).toBe(1)
})

it('is what the window does in a browser', async () => {
  const reload = vi.fn()
  pickTransport(reload)
  const moved = () => new Promise((done) => addEventListener('hashchange', done, { once: true }))
  let move = moved()
  location.hash = 'somewhere'
  await move
  expect(reload).not.toHaveBeenCalled()
  move = moved()
  location.hash = `${TOKEN_KEY}=pasted`
  await move
  expect(reload).toHaveBeenCalledOnce()
})

it('shows the host the pasted token, not the secret that the tab has from before', () => {
  const sent: string[] = []
  const dial = socketDial(
    ({ open }) => {
      queueMicrotask(open)
      return { send: (text) => sent.push(text), close: () => undefined }
    },
    { token: () => 'pasted', secret: () => 'of before', admitted: () => undefined, forget: () => undefined },
  )
  dial({ up: () => undefined, frame: () => undefined, down: () => undefined, refused: () => undefined })
  return Promise.resolve().then(() => expect(sent).toEqual(['{"t":"token","token":"pasted"}']))
})
