import { type ContractFunctionArgs, encodeFunctionData, type Hex } from 'viem'
import { sealBundle } from '../../../sdk/seal/sealBundle.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { AccountSender } from '../../chain/accountSender.ts'
import type { Fate } from './fate.ts'
import type { Step } from './nextStep.ts'
import type { ObservedIntent } from './observedIntent.ts'
import { recipientsOf } from './recipientsOf.ts'
import { positionOf, type TrafficChain } from './trafficChain.ts'
import type { TrafficOptions } from './trafficOptions.ts'

/** What a step is taken with. */
export type StepScene = {
  intent: ObservedIntent
  fate: Fate
  source: TrafficChain
  destination: TrafficChain
} & Pick<TrafficOptions, 'seed' | 'relayer'>

/** Takes one step and waits until it is done. @throws when it would fail, or did */
export async function takeStep(step: Step, scene: StepScene): Promise<void> {
  if (step.do === 'store') return storeRecipients(scene)
  const { chain, sender, data } = transactionOf(step, scene)
  await sender.execute({ to: chain.contracts.bridge, data })
}

/** Tells the relayer who shall receive, sealed to its key, as any sender would. */
async function storeRecipients({ intent, fate, seed, relayer }: StepScene): Promise<void> {
  const { id, sourceChainId, expectedAmountB } = intent
  const bundle = recipientsOf(seed, id, fate.recipients, expectedAmountB)
  const key = await relayer.eciesPublicKey()
  await relayer.storeRecipients({
    intentId: id,
    chainId: sourceChainId,
    encryptedData: sealBundle(key, { ...bundle, intentId: id, chainId: sourceChainId }),
  })
}

type StepTransaction = { chain: TrafficChain; sender: AccountSender; data: Hex }

function transactionOf(step: Exclude<Step, { do: 'store' }>, scene: StepScene): StepTransaction {
  const { intent, source, destination } = scene
  const { id } = intent
  const asSender = (data: Hex): StepTransaction => {
    const sender = source.senders[positionOf(source.senders, intent.sender)]
    if (!sender) throw new Error(`nobody to ${step.do} intent ${id}`)
    return { chain: source, sender, data }
  }
  switch (step.do) {
    case 'cancel':
      return asSender(call('cancelIntent', [id]))
    case 'refund':
      return asSender(call('refund', [id]))
    case 'bid':
      return { chain: source, sender: source.rogue, data: call('placeBid', [id, step.amountB]) }
    case 'deposit': {
      const data = call('depositAndPickup', [id, step.amountB])
      return { chain: source, sender: source.rogue, data }
    }
    case 'deliver':
      return {
        chain: destination,
        sender: destination.rogue,
        data: deliverCall(scene, step.amountB),
      }
  }
}

/** The rogue doesn't ask the relayer who shall receive: whatever is due, it pays one recipient. */
function deliverCall({ intent, seed }: StepScene, amountB: bigint): Hex {
  const { recipients, amounts } = recipientsOf(seed, intent.id, 1, amountB)
  const source = BigInt(intent.sourceChainId)
  return call('solveIntent', [source, intent.id, intent.tokenB, recipients, amounts])
}

type BridgeCall = 'cancelIntent' | 'placeBid' | 'depositAndPickup' | 'solveIntent' | 'refund'

function call<Name extends BridgeCall>(
  functionName: Name,
  args: ContractFunctionArgs<typeof bridgeIntentV2Abi, 'nonpayable', Name>,
): Hex {
  return encodeFunctionData({ abi: bridgeIntentV2Abi, functionName, args } as never)
}
