import { recoverAddress } from 'viem'
import type { MessageForms } from '../../../sdk/messages/recipientMessageForms.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { EnclaveError } from '../enclaveError.ts'
import type { OperationContext } from '../operationContext.ts'

/** A claimed signature: its signer and text. */
type SignedStatement = {
  /** Lower case. */
  wallet: Hex
  statement: MessageForms
  signature: Hex
  /** The chain of a contract wallet; undefined for a key. */
  contractOn: number | undefined
}

/**
 * Requires the wallet's signature of one form of a statement: its key's, or a contract's by ERC-1271 (ERC-6492 before
 * it is deployed), on which the chain's providers must agree.
 *
 * @throws EnclaveError `SIGNATURE_INVALID`, or a provider's failure
 */
export async function requireWalletSignature(
  context: OperationContext,
  signed: SignedStatement,
): Promise<void> {
  const { contractOn } = signed
  const isSigned =
    contractOn === undefined
      ? await isByKey(signed)
      : await isByContract(context, signed, contractOn)
  if (!isSigned) throw new EnclaveError('SIGNATURE_INVALID')
}

async function isByKey({ wallet, statement, signature }: SignedStatement): Promise<boolean> {
  if (signature.length !== 2 + 2 * 65) return false
  for (const hash of statement.hashes) {
    const signer = await recoverAddress({ hash, signature }).catch(() => null)
    if (signer?.toLowerCase() === wallet) return true
  }
  return false
}

/** Tries only two forms, the text as sent and the typed one: each is a request to every provider. */
async function isByContract(
  context: OperationContext,
  { wallet, statement, signature }: SignedStatement,
  contractOn: number,
): Promise<boolean> {
  const { hashes } = statement
  for (const hash of new Set([hashes[0], hashes.at(-1) ?? hashes[0]])) {
    if (await context.isContractSignature(contractOn, { wallet, hash, signature })) return true
  }
  return false
}
