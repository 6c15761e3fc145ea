/** The part of a page's address that says which workspace, or which part of one, a window shows. Pure. */

export interface DockRoute {
  readonly workspace?: string
  /** The part that was popped out into this window. */
  readonly window?: string
}

const ID = /^[a-z0-9][a-z0-9-]{0,39}$/

/** Reads a fragment such as `#workspace=overview&window=window-2`. */
export function parseDockRoute(hash: string): DockRoute {
  const params = new URLSearchParams(hash.replace(/^#/, ''))
  const workspace = params.get('workspace') ?? ''
  const window = params.get('window') ?? ''
  if (!ID.test(workspace)) return {}
  return ID.test(window) ? { workspace, window } : { workspace }
}

export function dockHash({ workspace, window }: { readonly workspace: string; readonly window?: string }): string {
  return `#workspace=${workspace}${window === undefined ? '' : `&window=${window}`}`
}
