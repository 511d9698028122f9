import { expect, test } from 'vitest'
import { createBlockExplorerLinks } from '../../../api/explorer/parts/blockExplorerLinks.ts'
import { chainSchema } from '../../../services/config/chainConfig.ts'

const chain = {
  name: 'base_sepolia',
  chainId: 84_532,
  rpcUrls: ['http://127.0.0.1:9'],
  bridge: `0x${'1'.repeat(40)}`,
  startBlock: 0,
  confirmations: 1,
}

test.each([
  ['javascript:alert(1)//{hash}', false],
  ['data:text/html,{hash}', false],
  ['/tx/{hash}', false],
  ['https://explorer.example/tx/', false],
  ['https://explorer.example/tx/{hash}', true],
])('a block explorer’s page %s: %s', (transaction, isTaken) => {
  expect(chainSchema.safeParse({ ...chain, blockExplorer: { transaction } }).success).toBe(isTaken)
})

test('what is filled in can’t leave its place', () => {
  const blockExplorer = { transaction: 'https://explorer.example/tx/{hash}?x' }
  const pages = createBlockExplorerLinks([chainSchema.parse({ ...chain, blockExplorer })])
  expect(pages.transaction(84_532, '../a?b#c"')).toBe(
    'https://explorer.example/tx/..%2Fa%3Fb%23c%22?x',
  )
  expect([pages.address(84_532, '0x'), pages.block(1, 1)]).toEqual([null, null])
})
