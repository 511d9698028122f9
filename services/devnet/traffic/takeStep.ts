import { type ContractFunctionArgs, encodeFunctionData, type Hex } from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { unpackIntentId } from '../../../src/intent/id.ts'
import type { AccountSender } from '../../chain/accountSender.ts'
import type { DevnetAccount } from '../accounts.ts'
import { blobFor } from './blobFor.ts'
import type { Fate } from './fate.ts'
import type { Clocks, Step } from './nextStep.ts'
import type { ObservedIntent } from './observedIntent.ts'
import { offerOf } from './offerOf.ts'
import { recipientsOf } from './recipientsOf.ts'
import { settlementCall } from './settlementCall.ts'
import { positionOf, type TrafficChain } from './trafficChain.ts'

/** What a step is taken with. */
export type StepScene = {
  intent: ObservedIntent
  fate: Fate
  source: TrafficChain
  destination: TrafficChain
  attester: DevnetAccount
  seed: number
  clocks: Clocks
}

/** Sends the transaction of one step and waits until it is mined. @throws when it would fail, or did */
export async function takeStep(step: Step, scene: StepScene): Promise<void> {
  const { chain, sender, data } = await transactionOf(step, scene)
  await sender.execute({ to: chain.contracts.bridge, data })
}

type StepTransaction = { chain: TrafficChain; sender: AccountSender; data: Hex }

async function transactionOf(step: Step, scene: StepScene): Promise<StepTransaction> {
  const { intent, source, destination } = scene
  const { id } = intent
  const at = (sender: AccountSender | undefined, data: Hex): StepTransaction => {
    if (!sender) throw new Error(`nobody to ${step.do} intent ${id}`)
    return { chain: source, sender, data }
  }
  switch (step.do) {
    case 'anchor':
      return at(source.relayer, anchorCall(scene))
    case 'cancel': {
      const sender = source.senders[positionOf(source.senders, intent.sender)]
      return at(sender, call('cancelIntent', [id]))
    }
    case 'bid':
      return at(source.solvers[step.solver], call('placeBid', [id, step.amountB]))
    case 'deposit':
      return at(source.solvers[step.solver], call('depositAndPickup', [id, step.amountB]))
    case 'solve':
      return {
        ...at(destination.solvers[step.solver], solveCall(scene, step.amountB)),
        chain: destination,
      }
    case 'settle': {
      const data = await settlementCall(source, intent, scene.attester, scene.clocks.source)
      return at(source.relayer, data)
    }
    case 'refund':
      // Anyone may; here the relayer keeps the house in order.
      return at(source.relayer, call('refund', [id]))
  }
}

function anchorCall({ intent, source, seed }: StepScene): Hex {
  const { sequence } = unpackIntentId(intent.id)
  const { feeBps } = offerOf(seed, source.chainId, Number(sequence), source.senders.length)
  const blob = intent.blobAtCreation ? '0x' : blobFor(seed, source.chainId, sequence)
  return call('anchorIntent', [intent.id, feeBps, blob])
}

function solveCall({ intent, fate, seed }: StepScene, amountB: bigint): Hex {
  const { recipients, amounts } = recipientsOf(seed, intent.id, fate.recipients, amountB)
  const source = BigInt(intent.sourceChainId)
  return call('solveIntent', [source, intent.id, intent.tokenB, recipients, amounts])
}

type BridgeCall =
  | 'anchorIntent'
  | 'cancelIntent'
  | 'placeBid'
  | 'depositAndPickup'
  | 'solveIntent'
  | 'refund'

function call<Name extends BridgeCall>(
  functionName: Name,
  args: ContractFunctionArgs<typeof bridgeIntentV2Abi, 'nonpayable', Name>,
): Hex {
  return encodeFunctionData({ abi: bridgeIntentV2Abi, functionName, args } as never)
}
