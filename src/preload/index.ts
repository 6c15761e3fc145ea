/**
 * Binds the transport, nothing else: on the page's request asks the terminal for a MessagePort and
 * hands it over. The page gets a port and no function of Electron's.
 */
import { ipcRenderer } from 'electron'
import { PORT_CHANNEL, PORT_OFFER, PORT_REQUEST } from '../shared/rpc/transport.ts'

/** Of the page the preload needs only this; the DOM's types stay out of the Node side's program. */
declare const window: {
  readonly location: { readonly origin: string }
  addEventListener(type: 'message', listener: (event: { source: unknown; data: unknown }) => void): void
  postMessage(message: string, origin: string, transfer: unknown[]): void
}

window.addEventListener('message', ({ source, data }) => {
  if (source === window && data === PORT_REQUEST) ipcRenderer.send(PORT_CHANNEL)
})
ipcRenderer.on(PORT_CHANNEL, ({ ports }: { readonly ports: readonly unknown[] }) => {
  window.postMessage(PORT_OFFER, window.location.origin, [...ports])
})
