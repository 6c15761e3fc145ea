/** Requests to export. */
import type { ExportRequest } from '../../src/shared/features/export/export.ts'

/** Ticks of `crypto/XT` from the whole store as one CSV file, unless `more` says otherwise. */
export const exportRequest = (more: Partial<ExportRequest> = {}): ExportRequest => ({
  what: 'ticks',
  feed: 'crypto/XT',
  symbols: [],
  sessions: [],
  source: null,
  fromMs: null,
  toMs: null,
  of: null,
  interval: '1m',
  format: 'csv',
  raw: false,
  bom: false,
  separator: ',',
  split: 'none',
  ...more,
})
