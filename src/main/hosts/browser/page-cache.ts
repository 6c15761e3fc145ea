/** Pages of the build, held in memory for the browser host. */
import type { Page, Pages } from '../window-files.ts'

/**
 * Reads each page from the disk once and gives every request the same bytes, so that a client that sends a thousand
 * requests and reads none can't make us hold a thousand copies.
 */
export function readOnce(pages: Pages): (pathname: string) => Promise<Page> {
  const held = new Map<string, Promise<Page>>()
  return async (pathname) => {
    const page = held.get(pathname) ?? pages.read(pathname)
    held.set(pathname, page)
    const { status } = await page
    if (status !== 200) held.delete(pathname) // A path can be anything; cache only files of the build.
    return page
  }
}
