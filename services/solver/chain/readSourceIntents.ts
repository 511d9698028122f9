import { type Address, type ContractFunctionReturnType, zeroAddress } from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { paramsHash } from '../../../src/event/paramsHash.ts'
import type { SeenIntent } from '../plan/snapshot.ts'
import type { SolverChain } from './solverChain.ts'

type IntentOnChain = ContractFunctionReturnType<typeof bridgeIntentV2Abi, 'view', 'getIntent'>

/** Values of the contract's `Phase`. */
const PHASES: Record<number, SeenIntent['phase']> = {
  1: 'open',
  2: 'deposited',
  3: 'settled',
  4: 'cancelled',
  5: 'refunded',
}

/** Bytes of calldata in one call of a multicall: some hundred questions. */
export const BATCH_BYTES = 16_384

/**
 * A chain's intents at a block; unknown ones are left out. `isDeep` and `delivery` are still to be
 * found out.
 */
export async function readSourceIntents(
  chain: SolverChain,
  ids: readonly bigint[],
  blockNumber: bigint,
): Promise<SeenIntent[]> {
  if (ids.length === 0) return []
  const { client, bridge } = chain
  const answers = await client.multicall({
    allowFailure: false,
    blockNumber,
    batchSize: BATCH_BYTES,
    contracts: ids.map((id) => {
      const args = [id] as const
      const functionName = 'getIntent' as const
      return { address: bridge, abi: bridgeIntentV2Abi, functionName, args } as const
    }),
  })
  return answers.flatMap((answer, position) => {
    const intentId = ids[position]
    return intentId === undefined ? [] : (seenIntent(chain, intentId, answer) ?? [])
  })
}

function seenIntent(
  { chainId, bridge }: SolverChain,
  intentId: bigint,
  answer: IntentOnChain,
): SeenIntent | null {
  const phase = PHASES[answer.phase]
  if (!phase) return null
  const { amountA, expectedAmountB, reward, auctionDuration } = answer
  const terms = {
    destChainId: Number(answer.destChainId),
    tokenA: lower(answer.tokenA),
    tokenB: lower(answer.tokenB),
    ...{ amountA, expectedAmountB, reward },
  }
  const user = lower(answer.sender)
  return {
    sourceChainId: chainId,
    ...{ ...terms, intentId, phase, isDeep: false },
    // Hashed from the terms that we judge, whatever hash the node gives: the contract compares.
    paramsHash: paramsHash({ ...terms, chainId, bridge: lower(bridge), user, auctionDuration }),
    blobsHash: answer.blobsHash as Hex,
    endTime: Number(answer.endTime),
    firmAt: Number(answer.firmAt),
    feeBps: answer.feeBps,
    recipientClass: answer.recipientClass,
    quorum: answer.quorum,
    asked: answer.asked,
    revealed: answer.revealed,
    solver: answer.solver === zeroAddress ? null : lower(answer.solver),
    amountB: answer.amountB,
    fillDeadline: Number(answer.fillDeadline),
    delivery: null,
  }
}

function lower(address: Address): Address {
  return address.toLowerCase() as Address
}
