import '../../browser-stubs.ts'
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte'
import { tick } from 'svelte'
import { afterEach, beforeEach, expect, it } from 'vitest'
import ImportDialog from '../../../../../src/renderer/features/import/ImportDialog.svelte'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import {
  MAX_LISTED_PROBLEMS,
  type CsvMapping,
  type ImportPreview,
} from '../../../../../src/shared/features/import/import.ts'
import { TestTransport } from '../../../../kit/transport.ts'
import { openWindow } from '../../open-window.ts'

interface Request {
  readonly file: string
  readonly mapping: CsvMapping | null
  readonly answer: (preview: ImportPreview) => void
}

let app: WindowState
/** Previews that were requested and not answered yet, oldest first. */
let requests: Request[]
/** Begins the upload of a file that the user gives. */
let begun: PromiseWithResolvers<{ readonly file: string }>
beforeEach(() => {
  begun = Promise.withResolvers()
  requests = []
  const transport = new TestTransport()
    .answer('files.begin', () => begun.promise)
    .answer('import.preview', ({ file, mapping }) => {
      const { promise, resolve } = Promise.withResolvers<ImportPreview>()
      requests.push({ file, mapping, answer: resolve })
      return promise
    })
  app = openWindow(transport)
})
afterEach(() => {
  cleanup()
  app.close()
})

const MAPPING = { columns: ['time', 'price'], feed: 'stocks/T', zone: 'Europe/Berlin', symbol: 'SAP' } as const
const preview = (name: string, mapping: CsvMapping = { ...MAPPING, columns: [...MAPPING.columns] }): ImportPreview => ({
  ...{ kind: 'table', name, bytes: 40, columns: ['when', 'price'], rows: [['2026-10-25 02:30:00', '100']] },
  ...{ mapping, problems: [], gaps: null, exact: false },
})
const settle = async () => {
  for (let i = 0; i < 20; i++) await Promise.resolve()
  await tick()
}

it('asks for one preview at a time, and shows that of the newest change', async () => {
  app.exchange.there = { file: 'f', name: 'bank.csv' }
  render(ImportDialog, { app, onclose: () => undefined })
  requests[0].answer(preview('bank.csv'))
  await settle()
  const choice = () => screen.getByLabelText<HTMLSelectElement>('Repeated local times')
  for (const value of ['first', '', 'second']) await fireEvent.change(choice(), { target: { value } })
  expect(requests.map(({ mapping }) => mapping?.repeated)).toEqual([undefined, 'first'])
  const [, first] = requests
  first.answer({ ...preview('bank.csv', first.mapping!), problems: [{ line: 2, text: 'of the first' }] })
  await settle()
  expect(screen.queryByText(/of the first/)).toBeNull()
  expect(requests.map(({ mapping }) => mapping?.repeated)).toEqual([undefined, 'first', 'second'])
  const [, , second] = requests
  second.answer({ ...preview('bank.csv', second.mapping!), problems: [{ line: 2, text: 'of the second' }] })
  await settle()
  expect(choice().value).toBe('second')
  expect(screen.getByText(/of the second/)).toBeDefined()
  expect(requests).toHaveLength(3)
})

it('shows no preview of a file that was replaced meanwhile', async () => {
  app.exchange.there = { file: 'old', name: 'old.csv' }
  render(ImportDialog, { app, onclose: () => undefined })
  app.exchange.there = { file: 'new', name: 'new.csv' }
  await settle()
  const [old, fresh] = requests
  expect([old.file, fresh.file]).toEqual(['old', 'new'])
  fresh.answer(preview('new.csv'))
  await settle()
  old.answer(preview('old.csv'))
  await settle()
  expect(screen.getByText(/new\.csv/)).toBeDefined()
  expect(screen.queryByText(/old\.csv/)).toBeNull()
})

it('keeps the file that replaced another one while that was still being read', async () => {
  app.exchange.file = new File(['a'], 'old.csv')
  render(ImportDialog, { app, onclose: () => undefined })
  app.exchange.there = { file: 'new', name: 'new.csv' }
  await settle()
  begun.resolve({ file: 'old' })
  await settle()
  requests[0].answer(preview('new.csv'))
  await settle()
  await fireEvent.change(screen.getByLabelText('Repeated local times'), { target: { value: 'first' } })
  expect(requests.map(({ file }) => file)).toEqual(['new', 'new'])
})

it('lists every problem it knows, and says when there may be more', async () => {
  const known = (count: number) => Array.from({ length: count }, (_, i) => ({ line: i + 2, text: `bad ${i}.` }))
  app.exchange.there = { file: 'f', name: 'bank.csv' }
  render(ImportDialog, { app, onclose: () => undefined })
  requests[0].answer({ ...preview('bank.csv'), problems: known(MAX_LISTED_PROBLEMS - 1) })
  await settle()
  expect(screen.getAllByText(/^Line \d+ skipped/)).toHaveLength(MAX_LISTED_PROBLEMS - 1)
  expect(screen.queryByText(/There may be more/)).toBeNull()
  await fireEvent.change(screen.getByLabelText('Repeated local times'), { target: { value: 'first' } })
  requests[1].answer({ ...preview('bank.csv'), problems: known(MAX_LISTED_PROBLEMS) })
  await settle()
  expect(screen.getAllByText(/^Line \d+ skipped/)).toHaveLength(MAX_LISTED_PROBLEMS)
  expect(screen.getByText(/There may be more/)).toBeDefined()
})

it('allows the import of a table without a header whose first line can’t be read', async () => {
  app.exchange.there = { file: 'f', name: 'trades.csv' }
  render(ImportDialog, { app, onclose: () => undefined })
  requests[0].answer({ ...preview('trades.csv'), problems: [{ line: 1, text: 'its price "x" isn’t a number' }] })
  await settle()
  expect(screen.getByText('Line 1 skipped: its price "x" isn’t a number')).toBeDefined()
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Import', hidden: true }).disabled).toBe(false)
})

it('allows the import as soon as the missing symbol is typed, without leaving its field', async () => {
  app.exchange.there = { file: 'f', name: 'bank.csv' }
  render(ImportDialog, { app, onclose: () => undefined })
  const mapping = { ...MAPPING, columns: [...MAPPING.columns] }
  requests[0].answer({
    ...preview('bank.csv', { ...mapping, symbol: '' }),
    problems: [{ line: 0, text: 'No symbol.' }],
  })
  await settle()
  const submit = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Import', hidden: true })
  expect(submit().disabled).toBe(true)
  const type = (value: string) => fireEvent.input(screen.getByLabelText('Symbol'), { target: { value } })
  for (const value of ['S', 'SA', 'SAP']) await type(value)
  // It doesn't wait for the preview, which is still that of the first letter.
  expect(submit().disabled).toBe(false)
  expect(requests.slice(1).map(({ mapping: asked }) => asked?.symbol)).toEqual(['S'])
  await type('')
  expect(submit().disabled).toBe(true)
  await type('SAP')
  requests[1].answer(preview('bank.csv', { ...mapping, symbol: 'S' }))
  await settle()
  expect(requests.slice(1).map(({ mapping: asked }) => asked?.symbol)).toEqual(['S', 'SAP'])
  requests[2].answer(preview('bank.csv', mapping))
  await settle()
  expect(submit().disabled).toBe(false)
})
