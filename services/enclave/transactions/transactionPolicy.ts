import { type Abi, toFunctionSelector } from 'viem'
import { enclaveKeyRegistryAbi } from '../../../core/abi/enclaveKeyRegistry.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { EnclaveChain } from '../enclaveChain.ts'
import type { OperationContext } from '../operationContext.ts'
import type { CheckedRequest } from '../operationSchemas.ts'
import { isAllowedSafeTransaction } from './safeTransactionPolicy.ts'

/** Gas limit of one transaction. */
const MAX_GAS = 16_000_000n

/** The bridge calls that the relayer's account pays for: those that anyone may send. */
const BRIDGE_CALLS = toSelectors(bridgeIntentV2Abi, [
  'anchorIntent',
  'appendBlob',
  'revealRecipients',
  'settleIntent',
  'refundUndelivered',
  'refund',
  'claimDelivery',
])

const REGISTRY_CALLS = toSelectors(enclaveKeyRegistryAbi, ['newChallenge', 'register'])

/**
 * Whether the relayer's account may send this: one of the relayer's calls, without value and of bounded cost. An empty
 * transaction to itself is allowed too, to fill a gap in its nonces.
 */
export function isAllowedTransaction(
  context: OperationContext,
  chain: EnclaveChain,
  transaction: CheckedRequest<'signTransaction'>,
): boolean {
  const { to, data, value = 0n } = transaction
  if (value !== 0n || !isBounded(chain, transaction)) return false
  if (to === context.keyring.relayer.address.toLowerCase()) return data === '0x'
  const selector = data.slice(0, 10)
  if (to === chain.bridge) return BRIDGE_CALLS.has(selector)
  if (to === chain.registry) return REGISTRY_CALLS.has(selector)
  return isAllowedSafeTransaction(context, chain, transaction)
}

/** Whether a transaction is within the limits on gas and on its cost in wei. */
export function isBounded(
  { maxTransactionCost }: EnclaveChain,
  { gas, maxFeePerGas, maxPriorityFeePerGas }: CheckedRequest<'signOrderTransaction'>,
): boolean {
  const isSound = gas <= MAX_GAS && maxPriorityFeePerGas <= maxFeePerGas
  return isSound && gas * maxFeePerGas <= maxTransactionCost
}

/** @throws Error for a name that isn't in the ABI */
export function toSelectors(abi: Abi, names: readonly string[]): ReadonlySet<string> {
  const found = abi.flatMap((item) =>
    item.type === 'function' && names.includes(item.name) ? [toFunctionSelector(item)] : [],
  )
  if (found.length !== names.length) throw new Error('a call of the policy is not in the ABI')
  return new Set(found)
}
