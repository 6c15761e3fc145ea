import { isArrowStreamName, type ExportFormat } from '../../../../shared/features/export/export.ts'
import type { BeginTable } from './table.ts'

/** The writer of a format with typed columns, loaded when it is used; null for a text format. */
export async function tableFormat({
  format,
  out,
  stream,
}: {
  readonly format?: ExportFormat | undefined
  readonly out: string
  readonly stream?: unknown
}): Promise<BeginTable | null> {
  switch (format) {
    case 'parquet':
      return (await import('./parquet.ts')).createParquetTable
    case 'arrow': {
      const { createArrowTable } = await import('./arrow.ts')
      const layout = stream !== undefined || isArrowStreamName(out) ? 'stream' : 'file'
      return (file, columns, notes) => createArrowTable(file, columns, notes, layout)
    }
    case 'csv':
    case 'jsonl':
    case undefined:
      return null
  }
}
