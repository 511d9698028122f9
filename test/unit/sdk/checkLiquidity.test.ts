import { expect, test } from 'vitest'
import { checkLiquidity } from '../../../sdk/client/checkLiquidity.ts'
import type { IntentRequest } from '../../../sdk/client/intentRequest.ts'
import type { RelayerQuote } from '../../../sdk/index.ts'

const ZERO = '0x0000000000000000000000000000000000000000'

function check(minAmountOut: bigint, bestAmountB: bigint | null): Promise<void> {
  const intent: IntentRequest = {
    sourceChain: 'base_sepolia',
    destChain: 'horizen_testnet',
    tokenIn: ZERO,
    tokenOut: ZERO,
    amountIn: 100_000_000n,
    minAmountOut,
    reward: 1_000_000n,
    deadline: 0,
    recipients: [{ address: ZERO, amount: minAmountOut }],
  }
  const quote = { ableSolvers: 1, liveSolvers: 1, bond: 1n, fee: 2_500_000n, bestAmountB }
  return checkLiquidity({ quote: async () => quote as RelayerQuote }, intent)
}

const unattainable = (message: string) => ({
  code: 'MIN_OUTPUT_UNATTAINABLE',
  message: expect.stringContaining(message),
})

test('a solver is not asked to deliver more than it gets, though 2 % above the best delivery', async () => {
  await check(98_500_000n, 98_000_000n)
  await expect(check(98_500_001n, 98_000_000n)).rejects.toMatchObject(
    unattainable(
      'the solver gets only 98500000 for it (amountIn and reward, less a fee of 2500000)',
    ),
  )
  await expect(check(98_500_001n, 98_000_000n)).rejects.toMatchObject({
    details: { attainable: 98_000_000n, income: 98_500_000n },
  })
  // 2 % above this delivery is less than the solver gets.
  await check(96_900_000n, 95_000_000n)
  await expect(check(96_900_001n, 95_000_000n)).rejects.toMatchObject(
    unattainable('solvers recently delivered at most 95000000'),
  )
})

test('tokens of different values or decimals are compared with deliveries only', async () => {
  await check(50_000n * 10n ** 18n, 50_000n * 10n ** 18n)
  await check(102_000_000n, 100_000_000n)
  await check(51n, 50n)
  await expect(check(52n, 50n)).rejects.toMatchObject(unattainable('at most 50 '))
})

test('without a recent delivery only stakes are checked', async () => {
  await check(99_000_000n, null)
})
