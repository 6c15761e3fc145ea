/** Hands each window its own MessagePort and serves the terminal over it. */
import { MessageChannelMain, type IpcMain, type IpcMainEvent, type MessagePortMain, type WebContents } from 'electron'
import { CodedError } from '../../../shared/base/errors.ts'
import { DESK_CALLS } from '../../../shared/features/desktop/contract.ts'
import { PORT_CHANNEL } from '../../../shared/rpc/transport.ts'
import { serveWindow, type Carrier, type CarrierOptions, type WindowPort } from '../../rpc/carrier.ts'
import type { Handlers } from '../../rpc/dispatch.ts'
import type { Responder } from '../../rpc/respond.ts'
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

/** Makes a PDF of a window as it prints. */
const pdfOf = (window: Pick<WebContents, 'printToPDF'>): Responder => ({
  kind: 'call',
  name: 'desktop.pdf',
  args: DESK_CALLS['desktop.pdf'].args,
  async run() {
    try {
      const bytes = await window.printToPDF({ printBackground: true, pageSize: 'A4', generateTaggedPDF: true })
      return bytes.toString('base64')
    } catch (cause) {
      throw new CodedError('internal', 'Couldn’t make the PDF.', { hint: 'Print it, and choose PDF there.', cause })
    }
  },
})

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
    const handlers = { ...ready, calls: new Map(ready.calls).set('desktop.pdf', pdfOf(sender)) }
    carriers.set(sender.id, serveWindow(windowPort(port1), handlers, options))
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
