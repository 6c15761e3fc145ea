/** What the system outside asks of the window. */
import { desktopSettings } from '../../../shared/features/desktop/settings.ts'
import { updateSettings } from '../../../shared/features/updates/settings.ts'
import { defineWindowFeature } from '../../core/window/feature.ts'
import { replay } from '../replay/feature.ts'
import { provideDesktop } from './context.ts'
import HostRequests from './HostRequests.svelte'

export const desktop = defineWindowFeature({
  name: 'desktop',
  needs: { replay },
  settings: [desktopSettings, updateSettings],
  start: (services) => ({
    service: null,
    provide: () => provideDesktop(services),
    overlays: [HostRequests],
  }),
})
