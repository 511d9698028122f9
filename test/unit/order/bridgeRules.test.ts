import { numberToHex } from 'viem'
import { expect, test } from 'vitest'
import { minAuctionDuration } from '../../../services/orders/chain/bridgeRules.ts'
import type { OrderChain } from '../../../services/orders/chain/orderChain.ts'

/** Nodes that each say a number; null: one that is away. */
function chainWith(...said: (number | null)[]) {
  const providers = said.map((one) => ({
    async send() {
      if (one === null) throw new Error('away')
      return [{ result: numberToHex(one, { size: 32 }) }]
    },
  }))
  const chain = { chainId: 84532, bridge: `0x${'b0'.repeat(20)}`, pool: { providers } }
  return chain as unknown as Pick<OrderChain, 'chainId' | 'bridge' | 'pool'>
}

test.each([
  ['all', [20, 20]],
  ['most, one lies', [3_000, 20, 20]],
  ['those that answer', [null, 20, null]],
])('the shortest auction is what %s say', async (_, said) => {
  expect(await minAuctionDuration(chainWith(...said))).toBe(20)
})

test.each([
  ['one of two lies', [3_000, 20]],
  ['all are away', [null, null]],
])('nobody is believed where %s, and all are asked again', async (_, said) => {
  const chain = chainWith(...said)
  await expect(minAuctionDuration(chain)).rejects.toThrow()
  Object.assign(chain.pool, chainWith(20, 20).pool)
  expect(await minAuctionDuration(chain)).toBe(20)
})
