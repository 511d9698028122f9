import { type Hex, RpcRequestError } from 'viem'
import { expect, test } from 'vitest'
import { toCairnError } from '../../../sdk/errors/toCairnError.ts'
import { revertOf } from '../../../services/chain/transactions/simulateCall.ts'

// A contract reverts with as much as the gas that a node gives a call pays for: with 50 million, five megabytes.
const data: Hex = `0x${'ab'.repeat(5_000_000)}`
const error = new RpcRequestError({
  body: {},
  error: { code: -32_000, message: 'no', data } as never,
  url: 'https://rpc.example',
})

test('megabytes of revert data are a revert', () => {
  expect(revertOf(error)).toMatchObject({ outcome: 'reverts' })
  expect(toCairnError(error)).toMatchObject({ code: 'CONTRACT_REVERTED', details: { data } })
})
