/** The native menu: the usual entries and the window's commands, as the window reports them. */
import { Menu, type MenuItemConstructorOptions } from 'electron'
import type { MenuRow } from '../../../../shared/features/desktop/requests.ts'

export interface MenuOptions {
  readonly platform: NodeJS.Platform
  /** Adds reload and the developer tools. */
  readonly developing: boolean
  readonly rows: readonly MenuRow[]
  /** Runs a command of the window. */
  readonly run: (id: string) => void
}

/** Commands of the first group go into the standard menus; the other groups get menus of their own. */
const FIRST_GROUP = 'General'

/** The menu's template. Shortcuts are only shown: the window handles keys, because it knows the focus. */
export function menuTemplate({ platform, developing, rows, run }: MenuOptions): MenuItemConstructorOptions[] {
  const item = ({ id, title, keys }: MenuRow): MenuItemConstructorOptions => ({
    label: title,
    ...(keys === null ? {} : { accelerator: acceleratorOf(keys), registerAccelerator: false }),
    click: () => run(id),
  })
  const separator: MenuItemConstructorOptions = { type: 'separator' }
  const general = rows.filter(({ group }) => group === FIRST_GROUP).map(item)
  const groups = [...new Set(rows.map(({ group }) => group))].filter((group) => group !== FIRST_GROUP)
  const view: MenuItemConstructorOptions[] = [
    { role: 'resetZoom' },
    { role: 'zoomIn' },
    { role: 'zoomOut' },
    separator,
    { role: 'togglefullscreen' },
    ...(developing ? [separator, { role: 'reload' as const }, { role: 'toggleDevTools' as const }] : []),
  ]
  const file: MenuItemConstructorOptions = {
    label: 'File',
    submenu: [
      ...general,
      ...(platform === 'darwin'
        ? [{ role: 'close' as const }]
        : [...(general.length > 0 ? [separator] : []), { role: 'quit' as const }]),
    ],
  }
  return [
    ...(platform === 'darwin' ? [{ role: 'appMenu' as const }] : []),
    file,
    { role: 'editMenu' },
    { label: 'View', submenu: view },
    ...groups.map((group) => ({ label: group, submenu: rows.filter((row) => row.group === group).map(item) })),
    { role: 'windowMenu' },
  ]
}

const NAMED: Readonly<Record<string, string>> = { '←': 'Left', '→': 'Right', '↑': 'Up', '↓': 'Down', Esc: 'Escape' }

/** Electron's accelerator for a chord as the window shows it. */
export function acceleratorOf(keys: string): string {
  const parts = keys.endsWith('++') ? [...keys.slice(0, -2).split('+'), 'Plus'] : keys.split('+')
  const key = parts.pop() ?? ''
  return [...parts.map((part) => (part === 'Ctrl' ? 'CmdOrCtrl' : part)), NAMED[key] ?? key].join('+')
}

export function installMenu(options: MenuOptions): void {
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(options)))
}
