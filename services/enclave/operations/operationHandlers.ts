import type { Handler } from '../operationContext.ts'
import type { OperationName } from '../operationSchemas.ts'
import { orderKeys } from '../orders/orderKeys.ts'
import { revealOrderToOwner } from '../orders/revealOrderToOwner.ts'
import { signClose } from '../orders/signClose.ts'
import { signFunding } from '../orders/signFunding.ts'
import { signOrderTransaction } from '../orders/signOrderTransaction.ts'
import { sealTrancheBundle, signTranche } from '../orders/signTranche.ts'
import { attestEnclaveIdentity, publicKeys } from './attestEnclaveIdentity.ts'
import { attestNotDelivered, attestSettlement } from './deliveryAttestations.ts'
import { deriveStealth, deriveStealths } from './deriveStealth.ts'
import { exportStealthKey } from './exportStealthKey.ts'
import { acceptRoots, handOverRoot, requestRoot } from './handOverRoot.ts'
import { provePossession, quote, rotateAttester } from './keyRegistration.ts'
import { openBlob, openBlobs } from './openBlob.ts'
import { openBundle } from './openBundle.ts'
import { registerRecipient, tagCaller, tagRecipients } from './registerRecipient.ts'
import { revealToWinner } from './revealToWinner.ts'
import { sealBlob } from './sealBlob.ts'
import { signAnchor, signAppend } from './signAnchorAndAppend.ts'
import { formerGasAccounts, signFormerGasTransfer } from './signFormerGasTransfer.ts'
import { signTransaction } from './signTransaction.ts'

export const OPERATION_HANDLERS: { [Name in OperationName]: Handler<Name> } = {
  publicKeys,
  openBundle,
  sealBlob,
  openBlob,
  openBlobs,
  signAnchor,
  signAppend,
  revealToWinner,
  attestSettlement,
  attestNotDelivered,
  signTransaction,
  formerGasAccounts,
  signFormerGasTransfer,
  provePossession,
  quote,
  attestation: attestEnclaveIdentity,
  registerRecipient,
  tagRecipients,
  tagCaller,
  deriveStealth,
  deriveStealths,
  exportStealthKey,
  rotateAttester,
  requestRoot,
  handOverRoot,
  acceptRoots,
  orderKeys,
  signFunding,
  signTranche,
  sealTrancheBundle,
  signClose,
  readOrder: revealOrderToOwner,
  signOrderTransaction,
}
