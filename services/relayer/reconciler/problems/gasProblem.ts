import { formatEther } from 'viem'
import type { ChainConfig } from '../../../config/chains.ts'
import type { RelayerProblem } from './problem.ts'

/** Gas of the most expensive call: an anchor with the largest blob. */
const ONE_ANCHOR = 600_000n

/** Whether the account can't pay for one more anchor at present prices. */
export function gasProblem(
  { chainId, name }: Pick<ChainConfig, 'chainId' | 'name'>,
  account: string,
  { balance, gasPrice }: { balance: bigint; gasPrice: bigint },
): RelayerProblem | null {
  const needed = ONE_ANCHOR * (gasPrice > 0n ? gasPrice : 1n)
  if (balance >= needed) return null
  return {
    ...{ chainId, code: 'NO_GAS' },
    cause: `${account} holds ${formatEther(balance)} on ${name}, and one anchor takes about ${formatEther(needed)}`,
    fix: `send ${formatEther(needed * 100n)} of the chain’s coin or more to ${account} on ${name}: what waits then goes on by itself`,
  }
}
