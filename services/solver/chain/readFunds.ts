import { type Address, ContractFunctionExecutionError, erc20Abi, multicall3Abi } from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { MULTICALL3 } from '../../chain/chainClient.ts'
import type { ChainSnapshot } from '../plan/solverSnapshot.ts'
import { BATCH_BYTES } from './readSourceIntents.ts'
import type { SolverChain } from './solverChain.ts'

export type Funds = Pick<
  ChainSnapshot,
  'native' | 'balances' | 'allowances' | 'decimals' | 'stakes' | 'credits' | 'sealingKey'
>

export type SealingPoint = { x: bigint; y: bigint }

/**
 * The account's balances on a chain at a block, its allowances for the bridge, and its stakes and credits there. Omits what
 * a token doesn't answer: a broken one must not keep us from delivering others.
 *
 * @param sealingKey the account's own key
 */
export async function readFunds(
  { client, bridge }: SolverChain,
  account: Address,
  sealingKey: SealingPoint,
  tokens: readonly Address[],
  blockNumber: bigint,
): Promise<Funds> {
  const at = { allowFailure: false, blockNumber, batchSize: BATCH_BYTES } as const
  const mayFail = { ...at, allowFailure: true } as const
  const contract = { address: bridge, abi: bridgeIntentV2Abi } as const
  const [native, balances, allowances, decimals, stakes, credits, [x, y]] = await Promise.all([
    client.readContract({
      address: MULTICALL3,
      abi: multicall3Abi,
      blockNumber,
      functionName: 'getEthBalance',
      args: [account],
    }),
    client.multicall({
      ...mayFail,
      contracts: tokens.map((address) => {
        return { address, abi: erc20Abi, functionName: 'balanceOf', args: [account] } as const
      }),
    }),
    client.multicall({
      ...mayFail,
      contracts: tokens.map((address) => {
        const args = [account, bridge] as const
        return { address, abi: erc20Abi, functionName: 'allowance', args } as const
      }),
    }),
    client.multicall({
      ...mayFail,
      contracts: tokens.map((address) => {
        return { address, abi: erc20Abi, functionName: 'decimals' } as const
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
  const byToken = <Value>(values: readonly (Value | undefined)[]) =>
    new Map(
      tokens.flatMap((token, position) => {
        const value = values[position]
        return value === undefined ? [] : [[token.toLowerCase(), value] as const]
      }),
    )
  return {
    native,
    balances: byToken(balances.map(tokenAnswer)),
    allowances: byToken(allowances.map(tokenAnswer)),
    decimals: byToken(decimals.map(tokenAnswer)),
    stakes: byToken(stakes.map(([total, locked]) => ({ total, locked }))),
    credits: byToken(credits),
    sealingKey: sealingKeyOwner({ x, y }, sealingKey),
  }
}

type Answer<Value> = { result?: Value | undefined; error?: Error | undefined }

/** Undefined if the token reverts or gives no such answer. @throws if the node doesn't answer */
function tokenAnswer<Value>({ result, error }: Answer<Value>): Value | undefined {
  const isOfToken =
    error instanceof ContractFunctionExecutionError && error.functionName !== 'aggregate3'
  if (error !== undefined && !isOfToken) throw error
  return result
}

function sealingKeyOwner({ x, y }: SealingPoint, own: SealingPoint): ChainSnapshot['sealingKey'] {
  if (x === 0n && y === 0n) return 'none'
  return x === own.x && y === own.y ? 'ours' : 'other'
}
