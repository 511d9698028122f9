import { type Abi, decodeFunctionData, isHex, size, toFunctionSelector, zeroAddress } from 'viem'
import { enclaveKeyRegistryAbi } from '../../../core/abi/enclaveKeyRegistry.ts'
import { encodeDeployment, predictSafe } from '../../../core/safe/predictSafe.ts'
import { safeAbi } from '../../../core/safe/safeAbi.ts'
import type { SafeContracts } from '../../../core/safe/safeContracts.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { EnclaveChain } from '../enclaveChain.ts'
import { deriveDeliveryStealth } from '../keys/recipientStealthKeys.ts'
import { openTicket } from '../keys/sealedRecipientTickets.ts'
import type { OperationContext } from '../operationContext.ts'
import type { CheckedRequest } from '../operationSchemas.ts'

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

type Cost = Pick<CheckedRequest<'signTransaction'>, 'gas' | 'maxFeePerGas' | 'maxPriorityFeePerGas'>

/** Whether a transaction is within the limits on gas and on its cost in wei. */
export function isBounded(
  { maxTransactionCost }: EnclaveChain,
  { gas, maxFeePerGas, maxPriorityFeePerGas }: Cost,
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

/** Gas limit of one transaction about a Safe: the most that a relayed one may use. */
const MAX_SAFE_GAS = 2_500_000n

/**
 * Whether a transaction deploys a Safe that this enclave issued for a delivery on this chain, exactly as predicted, or
 * executes that Safe's transaction without a gas refund.
 */
function isAllowedSafeTransaction(
  context: OperationContext,
  chain: EnclaveChain,
  { to, data, gas, ticket }: CheckedRequest<'signTransaction'>,
): boolean {
  const { chainId, safe: contracts } = chain
  const known = ticket === undefined ? null : openTicket(context.keyring.roots, ticket)
  if (known === null || known.delivery.chainId !== chainId || gas > MAX_SAFE_GAS) return false
  const { stealthAddress } = deriveDeliveryStealth(known.root, known.delivery)
  const safe = predictSafe(stealthAddress, chainId, contracts)
  if (to === safe.address) return isUnpaidExecution(data, contracts)
  return to === contracts.proxyFactory && data === encodeDeployment(safe, contracts)
}

/** Whether an execution refunds no gas, has one key's signature, and runs no foreign code as the Safe. */
function isUnpaidExecution(data: Hex, { multiSendCallOnly }: SafeContracts): boolean {
  const args = decodeExecution(data)
  if (args === null) return false
  const [to, , , operation, ...rest] = args
  const [safeTxGas, baseGas, gasPrice, gasToken, refundReceiver, signatures] = rest
  const isPlain = operation === 0 || (operation === 1 && to.toLowerCase() === multiSendCallOnly)
  const isUnpaid = safeTxGas === 0n && baseGas === 0n && gasPrice === 0n
  const isForNobody = gasToken === zeroAddress && refundReceiver === zeroAddress
  return isPlain && isUnpaid && isForNobody && isHex(signatures) && size(signatures) === 65
}

function decodeExecution(data: Hex) {
  try {
    const { functionName, args } = decodeFunctionData({ abi: safeAbi, data })
    return functionName === 'execTransaction' ? args : null
  } catch {
    return null
  }
}
