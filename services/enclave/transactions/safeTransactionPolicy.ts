import { decodeFunctionData, isHex, size, zeroAddress } from 'viem'
import { encodeDeployment, predictSafe } from '../../../core/safe/predictSafe.ts'
import { safeAbi } from '../../../core/safe/safeAbi.ts'
import type { SafeContracts } from '../../../core/safe/safeContracts.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { EnclaveChain } from '../enclaveChain.ts'
import { deriveDeliveryStealth } from '../keys/recipientStealthKeys.ts'
import { openTicket } from '../keys/sealedRecipientTickets.ts'
import type { OperationContext } from '../operationContext.ts'
import type { CheckedRequest } from '../operationSchemas.ts'

/** Gas limit of one transaction about a Safe: the most that a relayed one may use. */
const MAX_SAFE_GAS = 2_500_000n

/**
 * Whether a transaction deploys a Safe that this enclave issued for a delivery on this chain, exactly as predicted, or
 * executes that Safe's transaction without a gas refund.
 */
export function isAllowedSafeTransaction(
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
