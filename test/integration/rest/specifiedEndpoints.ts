/** An endpoint of the specification: its parameters and body fields, and those of its 200 answer. */
type SpecifiedEndpoint = {
  required?: string
  optional?: string
  answer: string
  /** Statuses of failures that the specification names. */
  failures?: number[]
}

const ROUTE_FILTERS = 'sourceChain destChain tokenA tokenB'

/** The relayer's endpoints as the specification lists them: fields separated by spaces. */
export const SPECIFIED_ENDPOINTS: Record<string, SpecifiedEndpoint> = {
  'get /health': { answer: 'status service timestamp networks chainInfo' },
  'get /ecies-pubkey': { answer: 'success publicKey message' },
  'get /get-recipients/{intentId}': {
    required: 'intentId x-solver-address',
    optional: 'sourceChainId',
    answer: 'success intentId recipients amounts timestamp chainId totalAmount',
    failures: [403, 404],
  },
  'get /intent-details/{intentId}': { required: 'intentId', answer: 'success intent' },
  'post /verify': {
    required: 'intentId network',
    optional: 'sourceChainId',
    answer: 'success intentId network solved',
  },
  'get /get-routes': {
    optional: `${ROUTE_FILTERS} origin originAsset`,
    answer: 'success routes solvers',
  },
  'post /get-routes': { optional: ROUTE_FILTERS, answer: 'success routes solvers' },
  'post /store-recipients': {
    required: 'intentId chainId',
    optional: 'encryptedData recipients amounts',
    answer: 'success intentId message',
    failures: [400],
  },
  'post /settle': {
    required:
      'intentId network chain2IntentId solverAddress destinationChain depositTxHash solveTxHash',
    answer:
      'success settleTxHash depositTxHash solveTxHash blockNumber network chainId intentId chain2IntentId solverAddress',
  },
  'post /register-solver': {
    required: 'solverAddress routes',
    answer: 'success solverAddress routesCount balances',
  },
  'post /recipient/register': {
    required: 'recipientAddress signature',
    answer: 'success spendPubKey viewPubKey stealthAddresses',
    failures: [400],
  },
  'get /recipient/addresses': {
    required: 'address',
    optional: 'signature',
    answer: 'success stealthAddresses',
    failures: [400],
  },
  'post /recipient/generate-stealth': {
    required: 'recipientAddress chainId intentId',
    answer: 'success stealthAddress safeAddress',
  },
  'post /recipient/derive-stealth-key': {
    required: 'recipientAddress stealthAddress signature',
    answer: 'success stealthAddress stealthPrivateKey',
    failures: [400],
  },
  'post /recipient/deploy-safe': {
    required: 'stealthAddress signature chainId',
    answer: 'success safeAddress txHash',
    failures: [400],
  },
  'post /recipient/relay-proxy': {
    required: 'safeAddress chainId to value data operation signature',
    answer: 'success txHash',
    failures: [400],
  },
  'get /list-stored-intents': { answer: 'success', failures: [401, 403] },
  'delete /delete-recipients/{intentId}': {
    required: 'intentId',
    answer: 'success',
    failures: [401, 403],
  },
}

/** Records within answers, by their name in the OpenAPI document. */
export const SPECIFIED_RECORDS: Record<string, string> = {
  Intent:
    'intentId sourceChainId destChainId solverAddress depositTxHash solveTxHash settleTxHash status timestamp settledAt',
  StealthAddress: 'address ephemeralPubKey chainId intentId safeDeployed safeAddress createdAt',
  Route: 'sourceChain destChain tokenA tokenB',
  Solver: 'address routes balances registeredAt lastSeen',
  Balance: 'chain token balance',
  Error: 'success error',
}
