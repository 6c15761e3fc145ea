import { expect, it } from 'vitest'
import { peersOf } from '../../../../../../src/renderer/features/research/company/peers.ts'
import { readResponse } from '../../../../../../src/shared/features/research/read.ts'

const peers = (text: string) => peersOf(readResponse(text).value, 'AAPL')

it.each<[string, string, readonly string[]]>([
  ['a list', '["MSFT","GOOG"]', ['MSFT', 'GOOG']],
  ['records', '[{"symbol":"MSFT","name":"NOT A SYMBOL"},{"ticker":"GOOG"}]', ['MSFT', 'GOOG']],
  [
    'both mixed, with numbers and nulls',
    '[{"symbol":"MSFT"},"GOOG",7,null,{"name":"IBM"},["META"]]',
    ['MSFT', 'GOOG', 'META'],
  ],
  ['a list in the company’s record', '[{"symbol":"AAPL","peersList":["MSFT","AAPL","MSFT"]}]', ['MSFT']],
  ['not other lists of a record', '[{"symbol":"MSFT","tags":["AI","CLOUD"]}]', ['MSFT']],
  ['nested', '{"data":{"peers":[{"symbol":"MSFT","name":"x"},"GOOG"]}}', ['MSFT', 'GOOG']],
  ['a text', '{"peers":"MSFT, GOOG;BRK.B"}', ['MSFT', 'GOOG', 'BRK.B']],
  ['nothing', '{"peers":[]}', []],
  ['numbers', '[1,2,"3"]', []],
])('finds the peers in %s', (_, text, expected) => {
  expect(peers(text)).toEqual(expected)
})

it('takes a hundred of thousands', () => {
  expect(peers(JSON.stringify(Array.from({ length: 5_000 }, (__, i) => `P${i}`)))).toHaveLength(100)
})
