import {
  BaseError,
  concat,
  decodeErrorResult,
  encodeFunctionData,
  keccak256,
  stringToHex,
} from 'viem'
import { enclaveKeyRegistryAbi } from '../../core/abi/enclaveKeyRegistry.ts'
import { deriveDevnetAccounts } from '../../devnet/accounts.ts'
import {
  type AttestationKind,
  type Attestations,
  attestation,
} from '../../sdk/intent/attestationTypedData.ts'
import { bridgeIntentV2Abi } from '../../src/event/abi/bridgeIntentV2.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { type BridgePair, trustStandIn } from '../integration/indexer/bridgePair.ts'
import type { Call, Intent } from './bridgeState.ts'
import { type Catalogue, CREATIONS } from './catalogue.ts'
import { createOffChainDeployment, type Deployment } from './deployment.ts'
import type { Solve } from './destination.ts'
import type { KeyName, Message } from './messages.ts'

const OPERATORS = { north: 0, south: 1, west: 2 } as const

/** Keys the registry trusts, and their operators by position. */
const SIGNERS = {
  first: { account: deriveDevnetAccounts().attesters[0], operator: OPERATORS.north },
  second: { account: deriveDevnetAccounts().attesters[1], operator: OPERATORS.south },
  rogue: { account: deriveDevnetAccounts().attesters[2], operator: OPERATORS.west },
  rogueToo: { account: deriveDevnetAccounts().guests[0]!, operator: OPERATORS.west },
  firstNext: { account: deriveDevnetAccounts().guests[1]!, operator: OPERATORS.north },
} as const

/** Registers the keys that the pair's deployment doesn't. */
export async function trustSigners({ base }: BridgePair): Promise<void> {
  for (const { account, operator } of [SIGNERS.rogueToo, SIGNERS.firstNext])
    await trustStandIn(base, account, deriveDevnetAccounts().operators[operator])
  await base.client.request({ method: 'anvil_autoImpersonateAccount', params: [true] } as never)
}

/** The model's deployment on these chains. */
export async function createDeploymentOn({ base, horizen }: BridgePair): Promise<Deployment> {
  const { senders, solvers } = deriveDevnetAccounts()
  const latest = await base.client.readContract({
    address: base.contracts.bridge,
    abi: bridgeIntentV2Abi,
    functionName: 'getLatestIntentId',
  })
  const account = (at: 0 | 1) => ({
    address: senders[at]!.address.toLowerCase() as Hex,
    privateKey: senders[at]!.privateKey,
  })
  return {
    ...createOffChainDeployment(),
    sourceChainId: base.chainId,
    destChainId: horizen.chainId,
    bridge: base.contracts.bridge.toLowerCase() as Hex,
    destinationBridge: horizen.contracts.bridge.toLowerCase() as Hex,
    tokenA: base.contracts.tokens.USDC.toLowerCase() as Hex,
    tokenB: horizen.contracts.tokens.ZEN.toLowerCase() as Hex,
    intentId: latest === 0n ? (BigInt(base.chainId) << 64n) | 1n : latest + 1n,
    sender: account(0),
    thief: account(1),
    solvers: {
      winner: solvers[0]!.address.toLowerCase() as Hex,
      rival: solvers[1]!.address.toLowerCase() as Hex,
    },
  }
}

/** A transaction with its sender. */
export type Sent = { from: Hex; to: Hex; data: Hex }

/**
 * A call of the model as a transaction.
 *
 * @param fillDeadlineOf maps a deadline of the model to the chain's
 */
export async function toTransaction(
  catalogue: Catalogue,
  { base }: BridgePair,
  made: Call,
  intent: Intent | null,
  fillDeadlineOf: (model: number) => bigint,
): Promise<Sent> {
  const { deployment } = catalogue
  const { bridge: to, intentId: id, solvers } = deployment
  const anyone = base.relayer.address as Hex
  const by = (from: Hex, functionName: string, args: readonly unknown[]): Sent => ({
    from,
    to,
    data: encodeFunctionData({ abi: bridgeIntentV2Abi, functionName, args } as never),
  })
  const sign = <Kind extends AttestationKind>(
    signers: readonly KeyName[],
    kind: Kind,
    message: Attestations[Kind],
  ) => signAll(catalogue, signers, kind, message)
  const sender = intent === null ? anyone : deployment[CREATIONS[intent.creation].by].address
  switch (made.do) {
    case 'create':
      return creation(catalogue, made.creation)
    case 'anchor':
    case 'append':
      return naming(catalogue, made.message, anyone)
    case 'name':
      return by(sender, 'nameRecipients', [id, catalogue.at(made.blob).bytes])
    case 'bid':
      return by(solvers[made.by], 'placeBid', [id, BigInt(made.amountB)])
    case 'deposit': {
      const { paramsHash, blobsHash, amountB } = made
      const args = [id, paramsHash, blobsHash, BigInt(amountB)]
      return by(solvers[made.by], 'depositAndPickup', args)
    }
    case 'ask':
      return by(solvers[made.by], 'askRecipients', [id])
    case 'reveal': {
      const sealed = stringToHex(JSON.stringify(made.content.revealed))
      const about = { ...aboutOf(catalogue, made.content), sealedHash: keccak256(sealed) }
      return by(anyone, 'revealRecipients', [id, sealed, await sign(made.signers, 'Reveal', about)])
    }
    case 'settle': {
      const chain2IntentId = (BigInt(deployment.destChainId) << 64n) | BigInt(made.content.sequence)
      const about = { ...aboutOf(catalogue, made.content), chain2IntentId }
      return by(anyone, 'settleIntent', [about, await sign(made.signers, 'Settlement', about)])
    }
    case 'undelivered': {
      const fillDeadline = fillDeadlineOf(made.content.fillDeadline)
      const about = { ...aboutOf(catalogue, made.content), fillDeadline }
      const signatures = await sign(made.signers, 'NotDelivered', about)
      return by(anyone, 'refundUndelivered', [about, signatures])
    }
    case 'cancel':
      return by(sender, 'cancelIntent', [id])
    case 'refund':
      return by(anyone, 'refund', [id])
    case 'revoke':
      return revocation(base.contracts.registry as Hex, made.key)
  }
}

/** A delivery of the model as a transaction. */
export function toDeliveryTransaction(
  { deployment }: Catalogue,
  { by, paramsHash, revealed }: Solve,
): Sent {
  const { sourceChainId, intentId, tokenB, destinationBridge } = deployment
  const terms = [BigInt(sourceChainId), intentId, paramsHash, tokenB, revealed.recipients]
  const args = [...terms, revealed.amounts.map(BigInt), 2n ** 40n]
  const data = encodeFunctionData({
    abi: bridgeIntentV2Abi,
    functionName: 'solveIntent',
    args,
  } as never)
  return { from: deployment.solvers[by], to: destinationBridge, data }
}

/** The contract error with which a call was refused; null when it succeeded. */
export async function findRefusal(call: () => Promise<unknown>): Promise<string | null> {
  try {
    await call()
    return null
  } catch (error) {
    const raw = error instanceof BaseError && error.walk((one) => dataOf(one) !== null)
    const data = raw ? dataOf(raw) : null
    if (data === null) throw error
    const abi = [...bridgeIntentV2Abi, ...enclaveKeyRegistryAbi]
    return decodeErrorResult({ abi, data }).errorName
  }
}

function dataOf(error: unknown): Hex | null {
  const { data } = error as { data?: unknown }
  return typeof data === 'string' && data.startsWith('0x') ? (data as Hex) : null
}

function creation(catalogue: Catalogue, name: keyof typeof CREATIONS): Sent {
  const { deployment } = catalogue
  const { sender, expectedAmountB } = catalogue.terms(name)
  const { tokenA, tokenB, amountA, reward, destChainId, auctionDuration } = deployment
  const args = [tokenA, tokenB, amountA, expectedAmountB, reward]
  const data = encodeFunctionData({
    abi: bridgeIntentV2Abi,
    functionName: 'createIntent',
    args: [...args, BigInt(destChainId), BigInt(auctionDuration)] as never,
  })
  const { names } = CREATIONS[name]
  if (names === null) return { from: sender, to: deployment.bridge, data }
  const { bytes } = catalogue.at(catalogue.creationBlob(name)!)
  return { from: sender, to: deployment.bridge, data: concat([data, bytes]) }
}

async function naming(
  catalogue: Catalogue,
  message: Extract<Message, { kind: 'anchor' | 'append' }>,
  from: Hex,
): Promise<Sent> {
  const { intentId, bridge } = catalogue.deployment
  const { bytes } = catalogue.at(message.blob)
  const { paramsHash, before: blobsHashBefore, signer } = message
  const about = { intentId, paramsHash, blobsHashBefore }
  const blobHash = keccak256(bytes)
  const encode = (functionName: string, args: readonly unknown[]): Sent => ({
    from,
    to: bridge,
    data: encodeFunctionData({ abi: bridgeIntentV2Abi, functionName, args } as never),
  })
  if (message.kind === 'append') {
    const [signature] = await signAll(catalogue, [signer], 'Append', { ...about, blobHash })
    return encode('appendBlob', [intentId, paramsHash, blobsHashBefore, bytes, signature])
  }
  const { feeBps, recipientClass } = message
  const terms = { feeBps, recipientClass }
  const [signature] = await signAll(catalogue, [signer], 'Anchor', { ...about, ...terms, blobHash })
  const args = [intentId, paramsHash, blobsHashBefore, feeBps, recipientClass, bytes, signature]
  return encode('anchorIntent', args)
}

function revocation(registry: Hex, key: KeyName): Sent {
  const { account, operator } = SIGNERS[key as keyof typeof SIGNERS]
  const from = deriveDevnetAccounts().operators[operator]!.address
  const args = [account.address] as const
  const data = encodeFunctionData({ abi: enclaveKeyRegistryAbi, functionName: 'revoke', args })
  return { from, to: registry, data }
}

function aboutOf(
  { deployment }: Catalogue,
  about: { paramsHash: Hex; blobsHash: Hex; solver: 'winner' | 'rival'; amountB: number },
) {
  const { paramsHash, blobsHash } = about
  const { intentId, solvers } = deployment
  const [solver, amountB] = [solvers[about.solver], BigInt(about.amountB)]
  return { intentId, paramsHash, blobsHash, solver, amountB }
}

/** Sorts by signer, as the bridge requires. */
async function signAll<Kind extends AttestationKind>(
  { deployment }: Catalogue,
  signers: readonly KeyName[],
  kind: Kind,
  message: Attestations[Kind],
): Promise<Hex[]> {
  const chain = { chainId: deployment.sourceChainId, bridge: deployment.bridge }
  const typed = attestation(chain, kind, message)
  const accounts = signers.map((signer) => SIGNERS[signer as keyof typeof SIGNERS].account)
  const sorted = accounts.toSorted((a, b) => (BigInt(a.address) < BigInt(b.address) ? -1 : 1))
  return Promise.all(sorted.map((account) => account.signTypedData(typed as never)))
}
