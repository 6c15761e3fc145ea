/** The settings of the window's chart as one object, while some of them are fields of the workspace. Pure. */
import type { ChartOptions, ChartSettings } from '../../../shared/chart-settings.ts'
import type { Settings } from '../../../shared/settings.ts'

type Workspace = Settings['workspace']

/** What the chart of a workspace remembers. */
export function chartSettingsOf({ interval, ticks, of, style, events, chart }: Workspace): ChartSettings {
  return { ...chart, interval, ticks, of, style, events }
}

/** A change of the chart as one of its workspace. */
export function chartPatch(workspace: Workspace, patch: Partial<ChartSettings>): Partial<Workspace> {
  const { interval, ticks, of, style, events, ...rest } = patch
  const chart: ChartOptions = { ...workspace.chart, ...rest }
  const fields = { interval, ticks, of, style, events }
  return {
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
    ...(Object.keys(rest).length > 0 ? { chart } : {}),
  }
}
