import {
  type Address,
  type ContractFunctionArgs,
  encodeFunctionData,
  type Hex,
  multicall3Abi,
  parseAbi,
} from 'viem'
import { sealBundle } from '../../sdk/seal/sealBundle.ts'
import type { AccountSender } from '../../services/chain/accountSender.ts'
import { MULTICALL3 } from '../../services/chain/chainClient.ts'
import { bridgeIntentV2Abi } from '../../src/event/abi/bridgeIntentV2.ts'
import { drawRandomRecipients, type Recipients } from './drawRandomRecipients.ts'
import type { Step } from './findNextIntentStep.ts'
import type { ObservedIntent } from './observedIntent.ts'
import type { Scenario } from './scenario.ts'
import { positionOf, type TrafficChain } from './trafficChainClient.ts'
import type { TrafficOptions } from './trafficOptions.ts'

/** What a step needs. */
export type StepContext = {
  intent: ObservedIntent
  scenario: Scenario
  source: TrafficChain
  destination: TrafficChain
} & Pick<TrafficOptions, 'seed' | 'relayer'>

/** Functions of the devnet token that can refuse accounts; anyone may call them. */
export const blacklistAbi = parseAbi([
  'function blacklist(address account)',
  'function unBlacklist(address account)',
  'function isBlacklisted(address account) view returns (bool)',
])

/** A deadline in the far future. */
const NEVER = 2n ** 32n

/** Takes one step and waits for its transaction. @throws when it would fail, or failed */
export async function takeIntentStep(step: Step, scene: StepContext): Promise<void> {
  if (step.do === 'store') return storeRecipients(scene)
  const { sender, to, data } = transactionOf(step, scene)
  await sender.execute({ to, data })
}

/** Sends the relayer the recipients, sealed to its key, as any sender would. */
async function storeRecipients(scene: StepContext): Promise<void> {
  const { id, sourceChainId } = scene.intent
  const bundle = namedRecipients(scene)
  const key = await scene.relayer.eciesPublicKey()
  await scene.relayer.storeRecipients({
    intentId: id,
    chainId: sourceChainId,
    encryptedData: sealBundle(key, { ...bundle, intentId: id, chainId: sourceChainId }),
  })
}

/** The recipients the sender named. */
export function namedRecipients({
  intent: { id, expectedAmountB },
  scenario,
  seed,
}: Pick<StepContext, 'intent' | 'scenario' | 'seed'>): Recipients {
  const named = (expectedAmountB * BigInt(scenario.namedBps ?? 10_000)) / 10_000n
  return drawRandomRecipients(seed, id, scenario.recipients, named)
}

type StepTransaction = { sender: AccountSender; to: Address; data: Hex }

function transactionOf(step: Exclude<Step, { do: 'store' }>, scene: StepContext): StepTransaction {
  const { intent, source, destination } = scene
  const { id, paramsHash, blobsHash } = intent
  const { bridge } = source.contracts
  const asSender = (data: Hex) => ({ sender: senderOn(source, intent), to: bridge, data })
  const asRogue = (data: Hex) => ({ sender: source.rogue, to: bridge, data })
  switch (step.do) {
    case 'cancel':
      return asSender(call('cancelIntent', [id]))
    case 'refund':
      return asSender(call('refund', [id]))
    case 'bid':
      return asRogue(call('placeBid', [id, step.amountB]))
    case 'deposit':
      return asRogue(call('depositAndPickup', [id, paramsHash, blobsHash, step.amountB]))
    case 'ask':
      return asRogue(call('askRecipients', [id]))
    case 'deliver':
      return { sender: destination.rogue, to: bridge, data: deliverCall(step, scene) }
    case 'blacklist':
      return blacklistFirst(scene)
    case 'unblacklist':
      return payCredit(scene)
  }
}

/** The sender's account on every chain. */
function senderOn(chain: TrafficChain, { id, sender }: ObservedIntent): AccountSender {
  const found = chain.senders[positionOf(chain.senders, sender)]
  if (!found) throw new Error(`unknown sender of intent ${id}`)
  return found
}

function blacklistFirst(scene: StepContext): StepTransaction {
  const { destination, intent } = scene
  const args = [firstRecipient(scene)] as const
  const data = encodeFunctionData({ abi: blacklistAbi, functionName: 'blacklist', args })
  return { sender: senderOn(destination, intent), to: intent.tokenB, data }
}

/** The token accepts the recipient again, and the bridge pays what it credited, in one transaction. */
function payCredit(scene: StepContext): StepTransaction {
  const { destination, intent } = scene
  const owner = firstRecipient(scene)
  const calls = [
    {
      target: intent.tokenB,
      callData: encodeFunctionData({
        abi: blacklistAbi,
        functionName: 'unBlacklist',
        args: [owner],
      }),
    },
    {
      target: destination.contracts.bridge,
      callData: call('claimDelivery', [owner, intent.tokenB]),
    },
  ].map((one) => ({ ...one, allowFailure: false }))
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] })
  return { sender: senderOn(destination, intent), to: MULTICALL3, data }
}

function firstRecipient(scene: StepContext): Address {
  const [first] = namedRecipients(scene).recipients
  if (!first) throw new Error('an intent without recipients')
  return first
}

/** Unless `named`, the rogue doesn't request the recipients and pays someone else. */
function deliverCall(
  { amountB, named }: Extract<Step, { do: 'deliver' }>,
  scene: StepContext,
): Hex {
  const { intent, seed } = scene
  const { recipients, amounts } = named
    ? namedRecipients(scene)
    : drawRandomRecipients(seed, intent.id, 1, amountB)
  const { id, paramsHash, tokenB } = intent
  const source = BigInt(intent.sourceChainId)
  return call('solveIntent', [source, id, paramsHash, tokenB, recipients, amounts, NEVER])
}

type BridgeCall =
  | 'cancelIntent'
  | 'placeBid'
  | 'depositAndPickup'
  | 'askRecipients'
  | 'solveIntent'
  | 'claimDelivery'
  | 'refund'

function call<Name extends BridgeCall>(
  functionName: Name,
  args: ContractFunctionArgs<typeof bridgeIntentV2Abi, 'nonpayable', Name>,
): Hex {
  return encodeFunctionData({ abi: bridgeIntentV2Abi, functionName, args } as never)
}
