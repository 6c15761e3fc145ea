/** The English catalogue, the one that others translate. Its parts follow the places of the window. */
import { alerts } from './en/alerts.ts'
import { app } from './en/app.ts'
import { commands } from './en/commands.ts'
import { frame } from './en/frame.ts'
import { help } from './en/help.ts'
import { palette } from './en/palette.ts'
import { settings } from './en/settings.ts'

export const en = { ...alerts, ...app, ...commands, ...frame, ...help, ...palette, ...settings } as const
