import { encodeFunctionData, type Hex, keccak256, toHex } from 'viem'
import { packIntentId } from '../../core/intent/intentId.ts'
import { attestation } from '../../sdk/intent/attestationTypedData.ts'
import { bridgeIntentV2Abi } from '../../src/event/abi/bridgeIntentV2.ts'
import type { Action } from './auctionRules.ts'
import { destination } from './deployForReplay.ts'
import type { Chain } from './openReplayChain.ts'

const abi = bridgeIntentV2Abi
const blob = toHex(new Uint8Array(512).fill(1))
const sealedRecipients = toHex(new Uint8Array(64).fill(2))
const recipientClass = 8

/** The transaction for a model's action, signed where required. */
export async function buildActionCall(
  chain: Chain,
  intentId: bigint,
  action: Action,
): Promise<{ from: Hex; data: Hex }> {
  const from = 'by' in action ? chain.solver(action.by) : chain.sender
  return { from, data: await calldataOf(chain, intentId, action) }
}

async function calldataOf(chain: Chain, intentId: bigint, action: Action): Promise<Hex> {
  if (action.kind === 'bid') {
    const args = [intentId, BigInt(action.amountB)] as const
    return encodeFunctionData({ abi, functionName: 'placeBid', args })
  }
  if (action.kind === 'ask') {
    return encodeFunctionData({ abi, functionName: 'askRecipients', args: [intentId] })
  }
  if (action.kind === 'cancel') {
    return encodeFunctionData({ abi, functionName: 'cancelIntent', args: [intentId] })
  }
  if (action.kind === 'refund') {
    return encodeFunctionData({ abi, functionName: 'refund', args: [intentId] })
  }
  const intent = await chain.read('getIntent', [intentId])
  const { paramsHash, blobsHash, solver, amountB } = intent
  if (action.kind === 'deposit') {
    const args = [intentId, paramsHash, blobsHash, BigInt(action.amountB)] as const
    return encodeFunctionData({ abi, functionName: 'depositAndPickup', args })
  }
  const about = { chainId: chain.chainId, bridge: chain.bridge }
  if (action.kind === 'anchor') {
    const { feeBps } = action
    const message = { intentId, paramsHash, blobsHashBefore: blobsHash, feeBps, recipientClass }
    const typed = attestation(about, 'Anchor', { ...message, blobHash: keccak256(blob) })
    const signature = await chain.enclave.signTypedData(typed)
    const terms = [intentId, paramsHash, blobsHash, feeBps, recipientClass] as const
    const args = [...terms, blob, signature] as const
    return encodeFunctionData({ abi, functionName: 'anchorIntent', args })
  }
  const winner = { intentId, paramsHash, blobsHash, solver, amountB }
  if (action.kind === 'reveal') {
    const message = { ...winner, sealedHash: keccak256(sealedRecipients) }
    const signature = await chain.enclave.signTypedData(attestation(about, 'Reveal', message))
    const args = [intentId, sealedRecipients, [signature]] as const
    return encodeFunctionData({ abi, functionName: 'revealRecipients', args })
  }
  if (action.kind === 'settle') {
    const settlement = { ...winner, chain2IntentId: packIntentId(destination, 1n) }
    const typed = attestation(about, 'Settlement', settlement)
    const args = [settlement, [await chain.enclave.signTypedData(typed)]] as const
    return encodeFunctionData({ abi, functionName: 'settleIntent', args })
  }
  const notDelivered = { ...winner, fillDeadline: intent.fillDeadline }
  const typed = attestation(about, 'NotDelivered', notDelivered)
  const args = [notDelivered, [await chain.enclave.signTypedData(typed)]] as const
  return encodeFunctionData({ abi, functionName: 'refundUndelivered', args })
}
