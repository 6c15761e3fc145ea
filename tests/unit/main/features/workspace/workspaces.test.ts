import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { workspacesFile } from '../../../../../src/main/features/workspace/workspace-file.ts'
import type { Workspaces } from '../../../../../src/main/features/workspace/port.ts'
import { createWorkspaces } from '../../../../../src/main/features/workspace/workspaces.ts'
import { closePane, resizePane } from '../../../../../src/shared/features/workspace/edits.ts'
import { readyWorkspace } from '../../../../../src/shared/features/workspace/ready.ts'
import { makeFolder } from '../../../../kit/folder.ts'

let folder: string
let problems: string[]
let nowMs: number
beforeEach(() => {
  folder = makeFolder('workspaces')
  problems = []
  nowMs = 1_000
})

const open = (): Workspaces =>
  createWorkspaces({
    file: workspacesFile(folder),
    nowMs: () => nowMs,
    problem: (text) => problems.push(text),
  })
const overview = readyWorkspace('overview')

it('begins with the ready-made ones, keeps what is put, and tells of it', () => {
  const first = open()
  expect(first.state().workspaces.map((one) => one.name)).toContain('Overview')
  let told = 0
  first.onChange(() => told++)
  const changed = closePane(overview, 'tape-1')
  first.put(JSON.stringify(changed), false)
  first.show('review')
  expect(told).toBe(2)
  const again = open().state()
  expect(again.workspaces.find((one) => one.id === 'overview')).toEqual(changed)
  expect(again.latest).toBe('review')
  expect(again.snapshots['overview']).toEqual([{ atMs: 1_000, panes: 4 }])
  expect(open().snapshot('overview', 1_000).name).toBe('Overview')
  expect(() => open().snapshot('overview', 2)).toThrow(/no longer saved/)
  expect(problems).toEqual([])
})

it('refuses what is not sound, and then nothing changed', () => {
  const desk = open()
  for (const text of ['', 'null', '{}', JSON.stringify({ ...overview, dock: null })])
    expect(() => desk.put(text, false)).toThrow(/can’t be shown/)
  expect(readdirSync(folder)).toEqual([])
  expect(desk.state().workspaces.length).toBe(6)
})

it('sets a corrupt file aside, and loads its readable part', () => {
  open().put(JSON.stringify(resizePane(overview, 'chart-1', 'row', 40)), false)
  const file = join(folder, 'workspaces.json')
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.slice(0, text.length / 2))
  expect(open().state().workspaces.length).toBe(6)
  expect(problems).toEqual(['The workspaces were corrupt; the file was saved as workspaces.bad.json.'])
  writeFileSync(file, text.replace('"id":"review"', '"id":"Re view"'))
  expect(open().state().workspaces.length).toBe(5)
  expect(problems[1]).toMatch(/^Some workspaces couldn’t be read; the file was saved/)
  expect(readFileSync(join(folder, 'workspaces.bad.json'), 'utf8')).toContain('Re view')
})

it('keeps the last workspace, and what is removed can come back', () => {
  const desk = open()
  const ids = desk.state().workspaces.map((one) => one.id)
  for (const id of ids.slice(1)) desk.remove(id)
  expect(() => desk.remove(ids[0] ?? '')).toThrow(/only workspace/)
  expect(desk.state().snapshots['review']).toEqual([{ atMs: 1_000, panes: 7 }])
  desk.put(JSON.stringify(desk.snapshot('review', 1_000)), false)
  expect(desk.state().workspaces.map((one) => one.id)).toEqual(['overview', 'review'])
})

it('says so when a workspace can’t be saved', () => {
  const desk = createWorkspaces({
    file: {
      load: () => null,
      save: () => {
        throw new Error('full')
      },
      setAside: () => '',
    },
    nowMs: () => 0,
    problem: () => undefined,
  })
  expect(() => desk.put(JSON.stringify(closePane(overview, 'tape-1')), false)).toThrow(/Couldn’t save/)
  expect(desk.state().workspaces.find((one) => one.id === 'overview')?.panes.length).toBe(4)
})
