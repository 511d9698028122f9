import type { TypedDataDefinition } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { OperationContext } from '../operationContext.ts'

/** Signs EIP-712 data with one of the enclave's keys. */
export async function signTyped(
  account: PrivateKeyAccount,
  typed: object,
): Promise<{ signature: Hex; signer: Hex }> {
  const signature = await account.signTypedData(typed as TypedDataDefinition)
  return { signature, signer: account.address.toLowerCase() as Hex }
}

/** Signs a message for a bridge or a vault with the attestation key. */
export async function signWithAttesterKey<Message>(
  { attester }: OperationContext,
  typed: { message: Message },
): Promise<{ message: Message; signature: Hex; signer: Hex }> {
  return { message: typed.message, ...(await signTyped(attester.current, typed)) }
}
