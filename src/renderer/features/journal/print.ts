/** Prints one element of the page alone, on paper or as PDF. */

/** Opens the print dialog with a copy of the element. `name` is offered as the name of a PDF. */
export function printElement(element: HTMLElement, name: string): void {
  const sheet = element.cloneNode(true) as HTMLElement // a clone has the type of its original
  sheet.classList.add('print-sheet')
  const title = document.title
  const root = document.documentElement
  const end = (): void => {
    sheet.remove()
    root.classList.remove('prints-sheet')
    document.title = title
    removeEventListener('afterprint', end)
  }
  addEventListener('afterprint', end)
  document.body.append(sheet)
  root.classList.add('prints-sheet')
  document.title = name
  globalThis.print()
}
