/** The menu: only what a desktop expects; Tapedeck's own commands live in its window. */
import { Menu, type MenuItemConstructorOptions } from 'electron'

/** The menu's template; `developing` adds reload and the developer tools. */
export function menuTemplate(platform: NodeJS.Platform, developing: boolean): MenuItemConstructorOptions[] {
  const view: MenuItemConstructorOptions[] = [
    { role: 'resetZoom' },
    { role: 'zoomIn' },
    { role: 'zoomOut' },
    { type: 'separator' },
    { role: 'togglefullscreen' },
  ]
  const tools: MenuItemConstructorOptions[] = [{ type: 'separator' }, { role: 'reload' }, { role: 'toggleDevTools' }]
  const first: MenuItemConstructorOptions =
    platform === 'darwin' ? { role: 'appMenu' } : { label: 'File', submenu: [{ role: 'quit' }] }
  return [
    first,
    { role: 'editMenu' },
    { label: 'View', submenu: developing ? [...view, ...tools] : view },
    { role: 'windowMenu' },
  ]
}

/** Puts the menu up. */
export function installMenu(developing: boolean): void {
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(process.platform, developing)))
}
