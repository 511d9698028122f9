import { recoverAddress } from 'viem'
import type { Statement } from '../../../sdk/messages/recipientStatements.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { EnclaveError } from '../enclaveError.ts'
import type { OperationContext } from '../operationContext.ts'

/** A claimed signature: by whom, over what. */
type SignedStatement = {
  /** Lower case. */
  wallet: Hex
  statement: Statement
  signature: Hex
  /** The chain of a wallet that is a contract; undefined for one that is a key. */
  contractOn: number | undefined
}

/**
 * Requires a signature of the wallet over one form of a statement: by its key; or, where the wallet is a
 * contract, by ERC-1271 (ERC-6492 before it is deployed), on which the chain's witnesses must agree.
 * Throws an EnclaveError `SIGNATURE_INVALID`, or what the witnesses throw.
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

/** Tries only two forms, the text as sent and the typed one: each is a question to every witness. */
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
