import { encodeFunctionData, type Hex } from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { settlementTypedData } from '../../enclave/settlement/settlementTypedData.ts'
import type { DevnetAccount } from '../accounts.ts'
import type { ObservedIntent } from './observedIntent.ts'
import type { TrafficChain } from './trafficChain.ts'

/** How long an attestation is good for, in seconds. */
const VALIDITY = 600

/**
 * The settlement of a delivered intent, attested.
 *
 * @param now timestamp of the source chain, unix seconds
 */
export async function settlementCall(
  chain: TrafficChain,
  intent: ObservedIntent,
  attester: DevnetAccount,
  now: number,
): Promise<Hex> {
  const { delivery, solver } = intent
  if (!delivery || !solver) throw new Error(`intent ${intent.id} has no delivery to settle`)
  const settlement = {
    intentId: intent.id,
    solver,
    destChainId: BigInt(intent.destChainId),
    chain2IntentId: delivery.chain2IntentId,
    solveTxHash: delivery.solveTxHash,
    amountB: delivery.amountB,
    feeBps: intent.feeBps,
    deadline: BigInt(now + VALIDITY),
  }
  const { bridge } = chain.contracts
  const signature = await attester.signTypedData(
    settlementTypedData(chain.chainId, bridge, settlement),
  )
  return encodeFunctionData({
    abi: bridgeIntentV2Abi,
    functionName: 'settleIntent',
    args: [settlement, signature],
  })
}
