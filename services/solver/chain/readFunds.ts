import { type Address, erc20Abi } from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { ChainSnapshot } from '../plan/solverSnapshot.ts'
import { BATCH_BYTES } from './readSourceIntents.ts'
import type { SolverChain } from './solverChain.ts'

type FundsSnapshot = Pick<
  ChainSnapshot,
  'native' | 'balances' | 'allowances' | 'stakes' | 'credits' | 'sealingKey'
>

export type SealingPoint = { x: bigint; y: bigint }

/**
 * The account's balances on a chain at a block, its allowances for the bridge, and its stakes and credits there.
 *
 * @param sealingKey the account's own key
 */
export async function readFunds(
  { client, bridge }: SolverChain,
  account: Address,
  sealingKey: SealingPoint,
  tokens: readonly Address[],
  blockNumber: bigint,
): Promise<FundsSnapshot> {
  const at = { allowFailure: false, blockNumber, batchSize: BATCH_BYTES } as const
  const contract = { address: bridge, abi: bridgeIntentV2Abi } as const
  const [native, balances, allowances, stakes, credits, [x, y]] = await Promise.all([
    client.getBalance({ address: account, blockNumber }),
    client.multicall({
      ...at,
      contracts: tokens.map((address) => {
        return { address, abi: erc20Abi, functionName: 'balanceOf', args: [account] } as const
      }),
    }),
    client.multicall({
      ...at,
      contracts: tokens.map((address) => {
        const args = [account, bridge] as const
        return { address, abi: erc20Abi, functionName: 'allowance', args } as const
      }),
    }),
    client.multicall({
      ...at,
      contracts: tokens.map((token) => {
        return { ...contract, functionName: 'stakeOf', args: [account, token] } as const
      }),
    }),
    client.multicall({
      ...at,
      contracts: tokens.map((token) => {
        return { ...contract, functionName: 'claimable', args: [account, token] } as const
      }),
    }),
    client.readContract({
      ...contract,
      blockNumber,
      functionName: 'sealingKeyOf',
      args: [account],
    }),
  ])
  const byToken = <Value>(values: readonly Value[]) =>
    new Map(tokens.map((token, position) => [token.toLowerCase(), values[position] as Value]))
  return {
    native,
    balances: byToken(balances),
    allowances: byToken(allowances),
    stakes: byToken(stakes.map(([total, locked]) => ({ total, locked }))),
    credits: byToken(credits),
    sealingKey: sealingKeyOwner({ x, y }, sealingKey),
  }
}

function sealingKeyOwner({ x, y }: SealingPoint, own: SealingPoint): ChainSnapshot['sealingKey'] {
  if (x === 0n && y === 0n) return 'none'
  return x === own.x && y === own.y ? 'ours' : 'other'
}
