/** Services the help uses to list entries besides commands and settings. */
import { createContext } from 'svelte'
import type { PaletteService } from '../palette/feature.ts'

export const [useHelp, provideHelp] = createContext<{ readonly palette: PaletteService }>()
