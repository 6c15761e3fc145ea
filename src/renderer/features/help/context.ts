/** What the help lists besides commands and settings. */
import { createContext } from 'svelte'
import type { PaletteService } from '../palette/feature.ts'

export const [useHelp, provideHelp] = createContext<{ readonly palette: PaletteService }>()
