import { expect, it } from 'vitest'
import { FEATURES } from '../../../../src/main/hosts/features.ts'

const names = FEATURES.map(({ name }) => name)

it('starts watchlists before alerts: the first to subscribe gets the room of a connection', () => {
  expect(names).toContain('alerts')
  expect(names.slice(0, names.indexOf('alerts'))).toContain('watchlist')
})
