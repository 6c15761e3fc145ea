import { describe, expect, it } from 'vitest'
import { createWorkspaces } from '../../../../../src/main/features/workspace/workspaces.ts'
import { safeWorkspaces } from '../../../../../src/main/features/workspace/safe.ts'
import type { WorkspacesFile } from '../../../../../src/main/features/workspace/port.ts'
import { firstLibrary } from '../../../../../src/shared/features/workspace/library.ts'
import { readyWorkspace } from '../../../../../src/shared/features/workspace/ready.ts'

const mine = { ...readyWorkspace('overview'), name: 'Mine' }

function made(safe: boolean) {
  const saved: string[] = []
  let text = JSON.stringify({ ...firstLibrary(), workspaces: [mine] })
  const keeper: WorkspacesFile = {
    load: () => text,
    save(next) {
      saved.push(next)
      text = next
    },
    setAside: () => 'aside',
  }
  const open = (one: WorkspacesFile) =>
    createWorkspaces({
      file: one,
      nowMs: () => 1_700_000_000_000,
      problem: (problem) => {
        throw new Error(problem)
      },
    })
  return { saved, workspaces: safeWorkspaces(open, keeper, safe) }
}

describe('workspaces in safe mode', () => {
  it('are the ready-made ones, can be changed, and are never saved', () => {
    const { saved, workspaces } = made(true)
    const [first] = workspaces.state().workspaces
    expect(workspaces.state().workspaces).toHaveLength(firstLibrary().workspaces.length)
    expect(workspaces.state().latest).toBe(first?.id)
    workspaces.put(JSON.stringify({ ...first, name: 'Tried' }), false)
    expect(workspaces.state().workspaces[0]?.name).toBe('Tried')
    expect(saved).toEqual([])
  })

  it('are replaced by the saved ones, and a late layout of safe mode overwrites none of them', () => {
    const { saved, workspaces } = made(true)
    const late = workspaces.state().workspaces.map((one) => JSON.stringify({ ...one, name: 'Late' }))
    let told = 0
    workspaces.onChange(() => told++)
    workspaces.leave()
    workspaces.leave()
    expect(told).toBe(1)
    for (const text of late) workspaces.put(text, true)
    expect(workspaces.state().workspaces.map(({ name }) => name)).toEqual(['Mine'])
    expect(saved).toEqual([])
    workspaces.put(JSON.stringify({ ...mine, name: 'Changed' }), false)
    expect(saved).toHaveLength(1)
    expect(told).toBe(2)
    expect(() => workspaces.put('no JSON', false)).toThrow('can’t be shown')
  })

  it('are as ever without it', () => {
    const { workspaces } = made(false)
    expect(workspaces.state().workspaces.map(({ name }) => name)).toEqual(['Mine'])
  })
})

it('start while the app runs, and leave the saved ones unchanged', () => {
  const { saved, workspaces } = made(false)
  let told = 0
  workspaces.onChange(() => told++)
  workspaces.enter()
  workspaces.enter()
  expect(told).toBe(1)
  expect(workspaces.state().workspaces.map((one) => one.name)).not.toContain('Mine')
  workspaces.put(JSON.stringify({ ...workspaces.state().workspaces[0], name: 'Tried' }), false)
  expect(saved).toEqual([])
  workspaces.leave()
  expect(workspaces.state().workspaces.map((one) => one.name)).toEqual(['Mine'])
})
