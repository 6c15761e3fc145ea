import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { keepPlace, placeKey, readPlaces, sizeIn } from '../../../../../src/main/hosts/electron/window-places.ts'
import { makeFolder } from '../../../../kit/folder.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = makeFolder('places')
  file = join(folder, 'windows.json')
})
const place = { x: -1900, y: 40, width: 360, height: 900, maximized: false }

test('a window of panes is known by its workspace and name; one of a replay by nothing', () => {
  expect(placeKey('app://tapedeck/#workspace=overview&window=w-1')).toBe('overview/w-1')
  expect(placeKey('app://tapedeck/#replay=01jbq1a2&at=17')).toBeNull()
  expect(placeKey('app://tapedeck/')).toBeNull()
})

test('keeps each window’s place beside the others’', () => {
  keepPlace(file, 'a/w1', place)
  keepPlace(file, 'a/w2', { ...place, x: 10 })
  keepPlace(file, 'a/w1', { ...place, x: 20 })
  expect(readPlaces(file)).toEqual(
    new Map([
      ['a/w2', { ...place, x: 10 }],
      ['a/w1', { ...place, x: 20 }],
    ]),
  )
})

test('forgets the one not opened for longest rather than grow', () => {
  for (let n = 0; n < 70; n++) keepPlace(file, `a/w${n}`, place)
  const kept = [...readPlaces(file).keys()]
  expect(kept).toHaveLength(64)
  expect(kept.at(0)).toBe('a/w6')
})

test('loads the intact part of a corrupt file, and nothing without one', () => {
  expect(readPlaces(file).size).toBe(0)
  writeFileSync(file, JSON.stringify({ 'a/w1': place, 'a/w2': { ...place, x: 'left' }, 'a/w3': null }))
  expect([...readPlaces(file).keys()]).toEqual(['a/w1'])
  for (const text of ['', '[]', '7', '{"a":']) {
    writeFileSync(file, text)
    expect(readPlaces(file).size, text).toBe(0)
  }
  keepPlace(file, 'a/w1', place)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ 'a/w1': place })
  keepPlace(join(folder, 'no', 'such', 'folder'), 'a/w1', place)
  expect(existsSync(join(folder, 'no'))).toBe(false)
})

test('the size that a page asks for counts, and nothing else that it asks', () => {
  expect(sizeIn('popup,left=-9,top=4,width=700,height=430')).toEqual({ width: 700, height: 430 })
  for (const odd of ['', 'popup', 'width=1e9,height=1', 'width=99999,height=99999', 'width=-5,height=300'])
    expect(sizeIn(odd), odd).toEqual({ width: 760, height: 560 })
})
