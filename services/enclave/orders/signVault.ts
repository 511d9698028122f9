import { type VaultMessages, vaultMessage } from '../../../core/order/vaultMessages.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { OperationContext } from '../operationContext.ts'

/** Signs a message for a chain's vault by the attestation key. */
export async function signVault<Kind extends keyof VaultMessages>(
  { attester }: OperationContext,
  at: { chainId: number; vault: Hex },
  kind: Kind,
  message: VaultMessages[Kind],
): Promise<{ message: VaultMessages[Kind]; signature: Hex; signer: Hex }> {
  const { current } = attester
  const signature = await current.signTypedData(vaultMessage(at, kind, message) as never)
  return { message, signature, signer: current.address.toLowerCase() as Hex }
}
