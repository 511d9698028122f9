import { type Address, type ContractFunctionReturnType, zeroAddress } from 'viem'
import { PHASES } from '../../../core/proof/storage/intentRecord.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { paramsHash } from '../../../src/event/paramsHash.ts'
import { MULTICALL_BYTES } from '../../chain/chainClient.ts'
import type { IntentSnapshot } from '../plan/solverSnapshot.ts'
import type { SolverChain } from './solverChain.ts'

type IntentOnChain = ContractFunctionReturnType<typeof bridgeIntentV2Abi, 'view', 'getIntent'>

/**
 * A chain's intents at a block, without unknown ones. `isConfirmed` and `delivery` are placeholders: they take other
 * blocks and chains.
 */
export async function readSourceIntents(
  chain: SolverChain,
  ids: readonly bigint[],
  blockNumber: bigint,
): Promise<IntentSnapshot[]> {
  if (ids.length === 0) return []
  const { client, bridge } = chain
  const answers = await client.multicall({
    allowFailure: false,
    blockNumber,
    batchSize: MULTICALL_BYTES,
    contracts: ids.map((id) => {
      const args = [id] as const
      const functionName = 'getIntent' as const
      return { address: bridge, abi: bridgeIntentV2Abi, functionName, args } as const
    }),
  })
  return answers.flatMap((answer, position) => {
    const intentId = ids[position]
    return intentId === undefined ? [] : (intentFrom(chain, intentId, answer) ?? [])
  })
}

function intentFrom(
  { chainId, bridge }: SolverChain,
  intentId: bigint,
  answer: IntentOnChain,
): IntentSnapshot | null {
  const phase = PHASES[answer.phase]
  if (phase === undefined || phase === 'none') return null
  const { amountA, expectedAmountB, reward, auctionDuration } = answer
  const terms = {
    destChainId: Number(answer.destChainId),
    tokenA: lower(answer.tokenA),
    tokenB: lower(answer.tokenB),
    amountA,
    expectedAmountB,
    reward,
  }
  const user = lower(answer.sender)
  return {
    sourceChainId: chainId,
    ...terms,
    intentId,
    phase,
    isConfirmed: false,
    // Hashed from the terms that we judge by, so that the contract rejects a deposit if a node lied about them.
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
