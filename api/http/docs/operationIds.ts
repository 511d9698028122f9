type OperationIds = Readonly<Record<string, string>>

/** The relayer's operation ids: generated clients name their functions after them, so they must not change. */
const RELAYER: OperationIds = {
  'get /health': 'getHealth',
  'get /ready': 'getReadiness',
  'get /state-hash': 'getStateHashes',
  'get /chains': 'listChains',
  'get /tokens': 'listTokens',
  'get /intents': 'listIntents',
  'get /intent-details': 'findIntentByTransaction',
  'get /intent-details/{intentId}': 'getIntent',
  'get /intents/{id}/events': 'listIntentEvents',
  'get /events': 'followEvents',
  'get /webhooks': 'listWebhooks',
  'post /webhooks': 'registerWebhook',
  'get /webhooks/{webhookId}/deliveries': 'listWebhookDeliveries',
  'post /webhooks/{webhookId}/rotate': 'rotateWebhookSecret',
  'post /webhooks/{webhookId}/replay': 'replayWebhook',
  'post /webhooks/{webhookId}/disable': 'disableWebhook',
  'post /webhooks/{webhookId}/enable': 'enableWebhook',
  'get /intents/{id}/proof': 'getIntentProof',
  'get /intents/{intentId}/anchor': 'getAnchor',
  'get /intents/{intentId}/reveal': 'getReveal',
  'get /attestation': 'getAttestation',
  'get /solvers/{address}': 'getSolver',
  'get /order-details': 'listOrders',
  'get /order-details/{orderId}': 'getOrder',
  'get /batches': 'listBatches',
  'get /quote': 'getQuote',
  'get /get-routes': 'getRoutes',
  'post /get-routes': 'queryRoutes',
  'post /verify': 'verifyIntent',
  'post /settle': 'settleIntent',
  'post /register-solver': 'registerSolver',
  'get /ecies-pubkey': 'getEciesPublicKey',
  'post /store-recipients': 'storeRecipients',
  'get /get-recipients/{intentId}': 'getRecipients',
  'post /intent-metadata': 'storeIntentMetadata',
  'get /intent-private/{intentId}': 'getPrivateDetails',
  'post /recipient/register': 'registerRecipient',
  'get /recipient/addresses': 'listStealthAddresses',
  'post /recipient/generate-stealth': 'generateStealthAddress',
  'post /recipient/derive-stealth-key': 'deriveStealthKey',
  'post /recipient/deploy-safe': 'deploySafe',
  'post /recipient/relay-proxy': 'relaySafeTransaction',
  'get /list-stored-intents': 'listStoredIntents',
  'delete /delete-recipients/{intentId}': 'deleteRecipients',
  'get /stuck': 'listStuckIntents',
}

/** The order service's, where it has other endpoints than the relayer. */
export const ORDER_OPERATION_IDS: OperationIds = {
  'get /address': 'getVaultAddress',
  'get /orders': 'listOrders',
  'post /orders': 'placeOrder',
  'get /orders/{orderId}': 'getOrder',
  'post /orders/{orderId}/cancel': 'cancelOrder',
  'get /orders/{orderId}/tranche': 'getWaitingTranche',
  'get /stuck': 'listStuckOrders',
}

/** A solver's, likewise. */
export const SOLVER_OPERATION_IDS: OperationIds = {
  'get /status': 'getStatus',
  'get /active-intents': 'listActiveIntents',
  'get /intent-status/{intentId}': 'getIntentStatus',
  'get /intent-status/{intentId}/{network}': 'getIntentStatusOnChain',
  'post /start': 'startSolver',
  'post /stop': 'stopSolver',
}

/** An operation's id; by default derived from its method and path. */
export function findOperationId(method: string, path: string, own: OperationIds = {}): string {
  const words = path.replaceAll(/\{\w+\}/g, '').split(/[^a-zA-Z0-9]+/)
  const derived = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  const name = `${method} ${path}`
  return own[name] ?? RELAYER[name] ?? method + derived
}

export const TAGS: Readonly<Record<string, string>> = {
  Intents: 'Intents, their events and proofs.',
  Auctions: 'Open auctions, quotes, solvers and pairs.',
  'Scheduled orders': 'Scheduled orders, read from the chain.',
  Recipients: 'For senders, winners and recipients.',
  'Private details': 'For an intent’s sender and its viewers.',
  Events: 'A stream of changes.',
  Webhooks: 'Changes sent to your server.',
  Service: 'The state of the service and its index.',
  Orders: 'Scheduled orders: placed, read and cancelled by their owners.',
  Solver: 'The state of one solver.',
  Admin: 'For operators with a bearer token.',
}
