export type {
  IntentPushData,
  OrderPushData,
  PushEvent as CairnEvent,
  PushType,
} from '../core/push/pushEvent.ts'
export type { BatchRequest } from './batch/batchRequest.ts'
export type { BatchState } from './batch/batchState.ts'
export { type BatchPart, splitBatch } from './batch/splitBatch.ts'
export type { BatchOptions, BatchProgress } from './batch/submitBatch.ts'
export type { CairnChain, CairnClientOptions, ChainClient } from './client/clientOptions.ts'
export { type CairnClient, createCairnClient } from './client/createCairnClient.ts'
export type { IntentHandle, IntentStatus } from './client/intentHandle.ts'
export type { IntentRequest } from './client/intentRequest.ts'
export type { QuoteRequest } from './client/requestQuote.ts'
export type { SubmitOptions } from './client/submitIntent.ts'
export type { WaitOptions } from './client/waitForIntent.ts'
export { CairnError } from './errors/cairnError.ts'
export { CAIRN_ERROR_CODES, type CairnErrorCode } from './errors/errorCodes.ts'
export {
  type EventFilter,
  type FollowOptions,
  followEvents,
} from './events/followEvents.ts'
export {
  type AttestationKind,
  type Attestations,
  attestation,
} from './intent/attestationTypedData.ts'
export { type CreateIntentParams, createIntentCall } from './intent/createIntentCall.ts'
export {
  authorizationTypedData,
  createWithEtherCall,
  permit2TypedData,
  type SignedCreation,
  signedCreationCall,
} from './intent/signedCreation.ts'
export { deploySafeMessage } from './messages/deploySafeMessage.ts'
export {
  deriveStealthKeyChallenge,
  deriveStealthKeyMessage,
} from './messages/deriveStealthKeyMessages.ts'
export { generateStealthMessage } from './messages/generateStealthMessage.ts'
export { getRecipientsMessage } from './messages/getRecipientsMessage.ts'
export { type IntentMetadata, intentMetadataMessage } from './messages/intentMetadataMessage.ts'
export { intentPrivateMessage } from './messages/intentPrivateMessage.ts'
export {
  cancelOrderMessage,
  placeOrderMessage,
  readOrdersMessage,
} from './messages/orderMessages.ts'
export {
  deploySafeTypedData,
  deriveStealthKeyChallengeTypedData,
  deriveStealthKeyTypedData,
  registerRecipientTypedData,
} from './messages/recipientTypedData.ts'
export { registerRecipientMessage } from './messages/registerRecipientMessage.ts'
export { type RouteText, registerSolverMessage } from './messages/registerSolverMessage.ts'
export { type Naming, storeRecipientsMessage } from './messages/storeRecipientsMessage.ts'
export {
  registerWebhookMessage,
  type WebhookAction,
  type WebhookFilter,
  webhookMessage,
} from './messages/webhookMessages.ts'
export { findOwnOrders, type OwnOrder } from './orders/findOwnOrders.ts'
export type { VaultOnChain } from './orders/isShownByVault.ts'
export type { OrderPage, ScheduledOrder } from './orders/orderResponses.ts'
export {
  createOrdersClient,
  type OrdersClient,
  type OrdersClientOptions,
  type SignMessage,
} from './orders/ordersClient.ts'
export { type OrderParams, type SealedOrder, sealOrder } from './orders/sealOrder.ts'
export {
  claimCreditCall,
  closeOrderCall,
  readCredit,
  readVaultOrder,
  type VaultOrder,
} from './orders/vaultCalls.ts'
export { type WaitForOrderOptions, waitForOrder } from './orders/waitForOrder.ts'
export type { RecipientClient } from './recipient/recipientClient.ts'
export type { SweepOptions, SweptSafe } from './recipient/sweepSafes.ts'
export type { RelayerAddress } from './relayer/relayerAddress.ts'
export {
  createRelayerClient,
  type RelayerClient,
  type RelayRequest,
  type SettleRequest,
} from './relayer/relayerClient.ts'
export { RelayerError } from './relayer/relayerError.ts'
export type {
  IntentQuery,
  ListedAddresses,
  QuoteQuery,
  RouteQuery,
} from './relayer/relayerQueries.ts'
export type {
  DeployedSafe,
  EnclaveAttestation,
  GeneratedStealth,
  IntentPage,
  PrivateDetails,
  RegisteredRecipient,
  RelayerBatch,
  RelayerIntent,
  RelayerQuote,
  RelayerRecipients,
  Route,
  Routes,
  Settled,
  SignedAnchor,
  SignedReveal,
  StealthEntry,
} from './relayer/relayerResponses.ts'
export { enclaveKey, NotAnEnclaveError, type RegistryOn } from './relayer/verifyEnclaveKey.ts'
export { asSafeTransaction, MULTI_SEND_CALL_ONLY, multiSendCall } from './safe/multiSend.ts'
export {
  execTransactionCall,
  type SafeAt,
  type SafeCall,
  type SafeTransaction,
  safeTransactionDocument,
  safeTransactionHash,
} from './safe/safeTransaction.ts'
export { NATIVE, transferCall } from './safe/transferCall.ts'
export { type Bundle, sealBundle } from './seal/sealBundle.ts'
export { type CreationBundle, sealCreationBlob } from './seal/sealCreationBlob.ts'
export { verifyWebhook, type WebhookHeaders } from './webhooks/verifyWebhook.ts'
