/** Hands each window its own MessagePort and serves the terminal over it. */
import { MessageChannelMain, type IpcMain, type IpcMainEvent, type MessagePortMain } from 'electron'
import { PORT_CHANNEL } from '../../../shared/rpc/transport.ts'
import { serveWindow, type Carrier, type CarrierOptions, type WindowPort } from '../../rpc/carrier.ts'
import type { Handlers } from '../../rpc/dispatch.ts'
import { isTrustedSender } from './security.ts'

/** Electron's port as the carrier sees it. Values cross by structured clone. */
function windowPort(port: MessagePortMain): WindowPort {
  let open = true
  port.on('close', () => (open = false))
  return {
    send(frame) {
      if (open) port.postMessage(frame)
    },
    onFrame(listener) {
      port.on('message', ({ data }) => listener(data))
      port.start()
    },
    onClose(listener) {
      port.once('close', listener)
    },
    close() {
      open = false
      port.close()
    },
  }
}

export interface WindowPorts {
  /** Disconnects every window. */
  close(): void
}

/**
 * `handlers` come when the terminal has started: a request before that is answered then; undefined: it
 * could not start, and nobody is answered. Answers every trusted request for a port. A page that asks again (a reload) gets a new one and its old
 * one is closed, so that a window never holds two.
 */
export function serveWindows(
  ipcMain: IpcMain,
  handlers: Promise<Handlers | undefined>,
  ownUrl: string,
  refused: () => void,
  options?: CarrierOptions,
): WindowPorts {
  const carriers = new Map<number, Carrier>()
  let closed = false
  const handOver = ({ sender, senderFrame }: IpcMainEvent, ready: Handlers): void => {
    if (closed || sender.isDestroyed() || !senderFrame || senderFrame.isDestroyed()) return
    const before = carriers.get(sender.id)
    if (before) before.close('the page was reloaded')
    else {
      const { id } = sender // Its id can't be read once it is destroyed.
      sender.once('destroyed', () => {
        carriers.get(id)?.close('the window was closed')
        carriers.delete(id)
      })
    }
    const { port1, port2 } = new MessageChannelMain()
    carriers.set(sender.id, serveWindow(windowPort(port1), ready, options))
    try {
      senderFrame.postMessage(PORT_CHANNEL, null, [port2])
    } catch {
      carriers.get(sender.id)?.close('the window was closed') // Its frame disappeared at this moment.
    }
  }
  const onRequest = (event: IpcMainEvent): void => {
    // Checked now and again before the port is sent: the frame may have navigated in between.
    const trusted = (): boolean => isTrustedSender(event.senderFrame, ownUrl)
    if (!trusted()) {
      refused()
      return
    }
    void handlers.then((ready) => {
      if (ready && trusted()) handOver(event, ready)
    })
  }
  ipcMain.on(PORT_CHANNEL, onRequest)
  return {
    close() {
      closed = true
      ipcMain.off(PORT_CHANNEL, onRequest)
      for (const carrier of carriers.values()) carrier.close()
      carriers.clear()
    },
  }
}
