/** Puts one element of the page alone on paper, or into a PDF. */

/** Shows a copy of the element alone wherever the page is printed, until the returned function is called. */
export function showSheet(element: HTMLElement): () => void {
  const sheet = element.cloneNode(true) as HTMLElement // a clone has the type of its original
  sheet.classList.add('print-sheet')
  const root = document.documentElement
  document.body.append(sheet)
  root.classList.add('prints-sheet')
  return () => {
    sheet.remove()
    root.classList.remove('prints-sheet')
  }
}

/** Resolves once the pictures of a page are ready to be printed; those that can't be shown count as ready. */
export const picturesReady = (within: ParentNode): Promise<unknown> =>
  Promise.all([...within.querySelectorAll('img')].map((one) => one.decode().catch(() => undefined)))

/** Opens the print dialog with a copy of the element. `name` is offered as the name of a PDF. */
export function printElement(element: HTMLElement, name: string): void {
  const hide = showSheet(element)
  const title = document.title
  const end = (): void => {
    hide()
    document.title = title
    removeEventListener('afterprint', end)
  }
  addEventListener('afterprint', end)
  document.title = name
  globalThis.print()
}
