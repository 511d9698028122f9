import { type Address, type ContractFunctionReturnType, zeroAddress } from 'viem'
import { packIntentId } from '../../core/intent/intentId.ts'
import { bridgeIntentV2Abi } from '../../src/event/abi/bridgeIntentV2.ts'
import type { ObservedIntent } from './observedIntent.ts'
import { readCreatedIntentCount } from './readCreatedIntentCount.ts'
import type { TrafficChain } from './trafficChainClient.ts'

/** An intent as stored by its source chain's contract, without its delivery. */
type SourceIntent = Omit<ObservedIntent, 'delivery' | 'refusesFirst' | 'isStored'>

type IntentOnChain = ContractFunctionReturnType<typeof bridgeIntentV2Abi, 'view', 'getIntent'>

/** Values of the contract's `Phase` that matter to the player. */
const PHASES: Record<number, ObservedIntent['phase']> = { 1: 'open', 2: 'deposited' }

/** Intents read in one call. */
const BATCH = 400

/** Reads one chain's open intents; remembers which have ended, so that each poll is cheap. */
export type ChainObserver = {
  /** Number of the chain's latest intent at the latest poll. */
  latest(): number
  read(): Promise<SourceIntent[]>
}

export function createChainObserver(chain: TrafficChain): ChainObserver {
  const open = new Set<number>()
  let latest = 0
  return {
    latest: () => latest,
    read: async () => {
      const found = await readCreatedIntentCount(chain)
      for (let sequence = latest + 1; sequence <= found; sequence++) open.add(sequence)
      latest = found
      const sequences = [...open]
      const seen: SourceIntent[] = []
      for (let from = 0; from < sequences.length; from += BATCH) {
        seen.push(...(await readBatch(chain, sequences.slice(from, from + BATCH), open)))
      }
      return seen
    },
  }
}

async function readBatch(
  { client, chainId, contracts }: TrafficChain,
  sequences: number[],
  open: Set<number>,
): Promise<SourceIntent[]> {
  const answers = await client.multicall({
    allowFailure: false,
    contracts: sequences.map((sequence) => {
      const args = [packIntentId(chainId, BigInt(sequence))] as const
      const functionName = 'getIntent' as const
      return { address: contracts.bridge, abi: bridgeIntentV2Abi, functionName, args } as const
    }),
  })
  return answers.flatMap((answer, position) => {
    const sequence = sequences[position] ?? 0
    const intent = observed(chainId, packIntentId(chainId, BigInt(sequence)), answer)
    if (intent === null) open.delete(sequence)
    return intent ?? []
  })
}

function observed(chainId: number, id: bigint, answer: IntentOnChain): SourceIntent | null {
  const phase = PHASES[answer.phase]
  if (!phase) return null
  return {
    id,
    phase,
    sourceChainId: chainId,
    destChainId: Number(answer.destChainId),
    sender: answer.sender,
    tokenA: answer.tokenA,
    tokenB: answer.tokenB,
    amountA: answer.amountA,
    expectedAmountB: answer.expectedAmountB,
    paramsHash: answer.paramsHash,
    blobsHash: answer.blobsHash,
    asked: answer.asked,
    revealed: answer.revealed,
    endTime: Number(answer.endTime),
    feeBps: answer.feeBps,
    blobAtCreation: answer.blobAtCreation,
    solver: nonZero(answer.solver),
    amountB: answer.amountB,
    fillDeadline: Number(answer.fillDeadline),
  }
}

function nonZero(address: Address): Address | null {
  return address === zeroAddress ? null : address
}
