import {
  type Address,
  ContractFunctionExecutionError,
  type ContractFunctionParameters,
  erc20Abi,
  multicall3Abi,
} from 'viem'
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
  const own = { address: bridge, abi: bridgeIntentV2Abi } as const
  const contracts: ContractFunctionParameters[] = [
    { address: MULTICALL3, abi: multicall3Abi, functionName: 'getEthBalance', args: [account] },
    { ...own, functionName: 'sealingKeyOf', args: [account] },
    ...tokens.flatMap((token) => {
      const erc20 = { address: token, abi: erc20Abi } as const
      return [
        { ...erc20, functionName: 'balanceOf', args: [account] },
        { ...erc20, functionName: 'allowance', args: [account, bridge] },
        { ...erc20, functionName: 'decimals' },
        { ...own, functionName: 'stakeOf', args: [account, token] },
        { ...own, functionName: 'claimable', args: [account, token] },
      ]
    }),
  ]
  // One call: nodes limit and bill them.
  const read = client.multicall({ contracts, blockNumber, batchSize: BATCH_BYTES })
  const [native, key, ...ofTokens] = (await read) as Answer[]
  const column = (place: number) => tokens.map((_, token) => ofTokens[token * 5 + place])
  const byToken = <Value>(values: readonly (Value | undefined)[]) =>
    new Map(
      tokens.flatMap((token, position) => {
        const value = values[position]
        return value === undefined ? [] : [[token.toLowerCase(), value] as const]
      }),
    )
  const [x, y] = required<[bigint, bigint]>(key)
  const stakes = column(3).map((answer) => required<[bigint, bigint]>(answer))
  return {
    native: required<bigint>(native),
    balances: byToken(column(0).map(tokenAnswer<bigint>)),
    allowances: byToken(column(1).map(tokenAnswer<bigint>)),
    decimals: byToken(column(2).map(tokenAnswer<number>)),
    stakes: byToken(stakes.map(([total, locked]) => ({ total, locked }))),
    credits: byToken(column(4).map((answer) => required<bigint>(answer))),
    sealingKey: sealingKeyOwner({ x, y }, sealingKey),
  }
}

type Answer = { result?: unknown; error?: Error | undefined } | undefined

/** @throws if the call failed */
function required<Value>(answer: Answer): Value {
  if (answer === undefined || answer.error !== undefined) throw answer?.error
  return answer.result as Value
}

/** Undefined if the token reverts or gives no such answer. @throws if the node doesn't answer */
function tokenAnswer<Value>(answer: Answer): Value | undefined {
  const error = answer?.error
  const isOfToken =
    error instanceof ContractFunctionExecutionError && error.functionName !== 'aggregate3'
  if (error !== undefined && !isOfToken) throw error
  return answer?.result as Value | undefined
}

function sealingKeyOwner({ x, y }: SealingPoint, own: SealingPoint): ChainSnapshot['sealingKey'] {
  if (x === 0n && y === 0n) return 'none'
  return x === own.x && y === own.y ? 'ours' : 'other'
}
