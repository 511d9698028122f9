import { encodeFunctionData } from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { EnclaveErrorCode } from '../../enclave/enclaveError.ts'
import { EnclaveError } from '../../enclave/enclaveError.ts'
import type { Outcome } from '../outcome.ts'
import type { Reactor } from '../reactor.ts'
import type { Effect, Situation } from '../situation.ts'
import { callBridge } from './callBridge.ts'

/** What the enclave says of a delivery that nothing will change, unless the chain does. */
const FINAL: ReadonlySet<EnclaveErrorCode> = new Set([
  'NOT_THE_WINNERS_DELIVERY',
  'RECIPIENTS_NOT_PAID',
])

/**
 * What an operator can mend by giving the enclave back an older root: the winner may well have
 * delivered, so it is tried again, and no refund of ours takes its bond meanwhile.
 */
const MENDABLE: EnclaveErrorCode = 'RECIPIENTS_UNKNOWN'

/** Has the enclave attest the delivery, by proofs that it checks itself, and asks for the settlement. */
export async function settle(
  reactor: Reactor,
  situation: Situation,
  effect: Extract<Effect, { kind: 'settle' }>,
): Promise<Outcome> {
  const { source } = situation.facts
  const { sourceChainId, intentId } = source
  const events = await reactor.prove(source, effect.delivery)
  try {
    const { settlement, signature } = await reactor.enclave.attestSettlement({
      sourceChainId,
      intentId,
      events,
    })
    const data = encodeFunctionData({
      abi: bridgeIntentV2Abi,
      functionName: 'settleIntent',
      args: [settlement, signature],
    })
    return await callBridge(reactor, situation, effect, data)
  } catch (error) {
    if (!(error instanceof EnclaveError)) throw error
    if (error.code === MENDABLE) return { is: 'waiting', reason: error.code }
    if (FINAL.has(error.code)) return { is: 'refused', reason: error.code }
    throw error
  }
}
