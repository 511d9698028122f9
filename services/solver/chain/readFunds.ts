import {
  type Address,
  ContractFunctionExecutionError,
  type ContractFunctionParameters,
  erc20Abi,
  multicall3Abi,
} from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { MULTICALL_BYTES, MULTICALL3 } from '../../chain/chainClient.ts'
import type { ChainSnapshot } from '../plan/solverSnapshot.ts'
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
  const general: ContractFunctionParameters[] = [
    { address: MULTICALL3, abi: multicall3Abi, functionName: 'getEthBalance', args: [account] },
    { ...own, functionName: 'sealingKeyOf', args: [account] },
  ]
  const ofToken = tokens.map((token): ContractFunctionParameters[] => {
    const erc20 = { address: token, abi: erc20Abi } as const
    return [
      { ...erc20, functionName: 'balanceOf', args: [account] },
      { ...erc20, functionName: 'allowance', args: [account, bridge] },
      { ...erc20, functionName: 'decimals' },
      { ...own, functionName: 'stakeOf', args: [account, token] },
      { ...own, functionName: 'claimable', args: [account, token] },
    ]
  })
  const read = async (contracts: readonly ContractFunctionParameters[]) =>
    (await client.multicall({ contracts, blockNumber, batchSize: MULTICALL_BYTES })) as Answer[]
  const [[native, key] = [], ...answers] = await readGroups(read, [general, ...ofToken])
  const column = (place: number) => answers.map((group) => group[place])
  const byToken = <Value>(values: readonly (Value | undefined)[]) =>
    new Map(
      tokens.flatMap((token, position) => {
        const value = values[position]
        return value === undefined ? [] : [[token.toLowerCase(), value] as const]
      }),
    )
  const [x, y] = required<[bigint, bigint]>(key)
  const stakes = column(3).map((answer) => answer && required<[bigint, bigint]>(answer))
  return {
    native: required<bigint>(native),
    balances: byToken(column(0).map(tokenAnswer<bigint>)),
    allowances: byToken(column(1).map(tokenAnswer<bigint>)),
    decimals: byToken(column(2).map(tokenAnswer<number>)),
    stakes: byToken(stakes.map((stake) => stake && { total: stake[0], locked: stake[1] })),
    credits: byToken(column(4).map((answer) => answer && required<bigint>(answer))),
    sealingKey: sealingKeyOwner({ x, y }, sealingKey),
  }
}

type Answer = { result?: unknown; error?: Error | undefined }

/**
 * Reads groups of calls by one multicall, since nodes limit and bill them. If one group uses up its gas, as a broken token
 * may, each is read alone, and those that still do have no answers.
 */
async function readGroups(
  read: (contracts: readonly ContractFunctionParameters[]) => Promise<Answer[]>,
  groups: readonly ContractFunctionParameters[][],
): Promise<Answer[][]> {
  const answers = await read(groups.flat())
  if (!answers.some(isExhausted)) {
    const each = answers.values()
    return groups.map((group) => group.map(() => each.next().value as Answer))
  }
  const alone = await Promise.all(groups.map(read))
  return alone.map((group) => (group.some(isExhausted) ? [] : group))
}

/** What is asked of tokens. Of a bridge and the multicall's contract, no view reverts. */
const OF_TOKENS = new Set(['balanceOf', 'allowance', 'decimals'])

/** Whether a call, or the multicall as a whole, had no gas left. */
function isExhausted({ error }: Answer): boolean {
  if (!(error instanceof ContractFunctionExecutionError) || isOfToken(error)) return false
  return error.functionName !== 'aggregate3' || /gas|execution|reverted/i.test(error.details)
}

function isOfToken(error: Error): boolean {
  return error instanceof ContractFunctionExecutionError && OF_TOKENS.has(error.functionName)
}

/** @throws if the call failed */
function required<Value>(answer: Answer | undefined): Value {
  if (answer === undefined) throw new Error('the bridge uses up all gas of a call')
  if (answer.error !== undefined) throw answer.error
  return answer.result as Value
}

/** Undefined if the token reverts or gives no such answer. @throws if the node doesn't answer */
function tokenAnswer<Value>(answer: Answer | undefined): Value | undefined {
  if (answer?.error !== undefined && !isOfToken(answer.error)) throw answer.error
  return answer?.result as Value | undefined
}

function sealingKeyOwner({ x, y }: SealingPoint, own: SealingPoint): ChainSnapshot['sealingKey'] {
  if (x === 0n && y === 0n) return 'none'
  return x === own.x && y === own.y ? 'ours' : 'other'
}
