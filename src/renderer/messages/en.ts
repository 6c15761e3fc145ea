/** The English catalogue, the one that others translate. Its parts follow the places of the window. */
import { commands } from './en/commands.ts'
import { frame } from './en/frame.ts'
import { palette } from './en/palette.ts'
import { settings } from './en/settings.ts'

export const en = { ...commands, ...frame, ...palette, ...settings } as const
