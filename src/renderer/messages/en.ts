/** The English catalogue, the one that others translate. Its parts follow the places of the window. */
import { commands } from './en/commands.ts'

export const en = { ...commands } as const
