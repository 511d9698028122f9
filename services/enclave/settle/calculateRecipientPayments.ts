import { computeDeliveryKey } from '../../../core/proof/storage/deliveryRecord.ts'
import { hashNaming } from '../../../core/recipientBundle/storeRecipientsMessage.ts'
import type {
  BlobPlaintext,
  RegisteredRecipient,
} from '../../../core/recoveryBlob/plaintextFormat.ts'
import {
  calculatePayments,
  listReplacedWallets,
} from '../../../core/settlement/calculatePayments.ts'
import {
  decideRevealedPayments,
  hasNoRecipients,
} from '../../../core/settlement/decideRevealedPayments.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { EnclaveError } from '../enclaveError.ts'
import type { VerifiedIntentEvidence } from '../evidence/verifyIntentEvidence.ts'
import {
  derivePublicKeys,
  formatIdentity,
  type RecipientPublicKeys,
} from '../keys/recipientStealthKeys.ts'
import type { OperationContext } from '../operationContext.ts'
import type { Replaced } from '../operationSchemas.ts'
import { deriveDelivery } from '../operations/deriveStealth.ts'

/** The payments revealed to an intent's winner, and the key of its delivery. */
type WinnerPayments = {
  recipients: Hex[]
  amounts: bigint[]
  deliveryKey: Hex
  replaced: Replaced[]
  /** Hash of the recipients that the sender named. */
  namingHash: Hex
  /** The root of the intent's key. */
  root: Uint8Array
}

/**
 * Computes the winner's payments from the blobs on chain when the recipients became firm, the wallets registered by
 * then, and the winner's commitment. They depend on nothing else, so every enclave with the root always computes the
 * same, and attests exactly what was revealed.
 */
export function calculateRecipientPayments(
  context: OperationContext,
  opened: VerifiedIntentEvidence,
): WinnerPayments {
  const { intent, record, blobs } = opened
  const { byId } = context.keyring
  const decision = decideRevealedPayments(intent, blobs, (keyId) => byId.has(keyId))
  if (!decision.ok) throw new EnclaveError(decision.code)
  const { contents, registered } = decision
  const { root } = byId.get(decision.keyId)!
  const replaced = deriveReplaced(context, opened, root, contents, registered)
  const safes = new Map(replaced.map(({ position, safeAddress }) => [position, safeAddress]))
  const payments = calculatePayments(contents, safes, record.amountB)
  const { sourceChainId, intentId, paramsHash } = intent
  const { tokenB, solver } = record
  const delivery = { sourceChainId, intentId, paramsHash, tokenB, solver, ...payments }
  return {
    ...payments,
    deliveryKey: computeDeliveryKey(delivery),
    replaced,
    root,
    namingHash: hashNaming(contents),
  }
}

/** Whether no enclave can ever reveal recipients to a winner of this intent. */
export function isWithoutRecipients(
  { keyring }: OperationContext,
  { intent, blobs }: VerifiedIntentEvidence,
): boolean {
  return hasNoRecipients(intent, blobs, (keyId) => keyring.byId.has(keyId))
}

/** The Safes that replace a bundle's registered wallets. A wallet that is named often has its keys derived once. */
export function deriveReplaced(
  context: OperationContext,
  { intent, destination }: Pick<VerifiedIntentEvidence, 'intent' | 'destination'>,
  root: Uint8Array,
  contents: BlobPlaintext,
  registered: readonly RegisteredRecipient[],
): Replaced[] {
  const { chainId } = destination
  const { intentId } = intent
  const keysOf = new Map<string, RecipientPublicKeys>()
  return listReplacedWallets(contents, registered).map(
    ({ position, isContract, wallet, index }) => {
      const recipient = { recipientAddress: wallet, contractOn: isContract ? chainId : undefined }
      const name = formatIdentity(recipient)
      const keys = keysOf.get(name) ?? derivePublicKeys(root, recipient)
      keysOf.set(name, keys)
      const delivery = { ...recipient, chainId, intentId, index }
      return { ...deriveDelivery(context, root, delivery, keys), position, index }
    },
  )
}
