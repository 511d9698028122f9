import { z } from 'zod'

const hexOf = (digits: number, words: string) =>
  z
    .string()
    .regex(new RegExp(`^0x[0-9a-fA-F]{${digits}}$`), words)
    .transform((text) => text as `0x${string}`)

const address = hexOf(40, 'expected an address: 0x and 40 hex digits')

const natural = z.int().min(0)

function url(protocols: RegExp, words: string) {
  return z.url({ protocol: protocols, error: `expected a URL that begins with ${words}` })
}

const tokenSchema = z.strictObject({
  address,
  decimals: z.int().min(0).max(77),
  /** Deeper confirmation of deliveries, and of deposits with their rewards, from this amount on (decimal, base units). */
  confirmations: z
    .array(
      z.strictObject({
        from: z.string().regex(/^\d{1,78}$/, 'expected a decimal amount in base units'),
        blocks: natural,
      }),
    )
    .optional(),
})

/** A page's address with a placeholder. Only http and https, since it becomes a link. */
function pageTemplate(placeholder: string) {
  return z.string().refine((text) => {
    const filled = URL.parse(text.replaceAll(placeholder, '1'))
    return text.includes(placeholder) && /^https?:$/.test(filled?.protocol ?? '')
  }, `expected a URL that begins with https:// and contains ${placeholder}`)
}

const chainFields = z.strictObject({
  /** The ChainId name of the interface, e.g. `base_sepolia`. */
  name: z
    .string()
    .regex(/^[a-z][a-z0-9_]*$/, 'expected a chain name in lower case, such as base_sepolia'),
  chainId: z.int().min(1),
  /** JSON-RPC endpoints over HTTP, the preferred one first. */
  rpcUrls: z.array(url(/^https?$/, 'http:// or https://')).min(1, 'expected at least one URL'),
  /** Requests per second, by URL; a missing URL has no limit. */
  requestsPerSecond: z.record(z.string(), z.number().positive()).optional(),
  /** Operators of endpoints, by URL: one operator's endpoints count once. Default: the host. */
  operators: z.record(z.string(), z.string().min(1)).optional(),
  /** Whether senders must sign recipients on this chain. Default: `AUTH_MODE`. */
  mode: z.enum(['strict', 'compat']).optional(),
  /**
   * How many endpoint operators must agree before the enclave attests. Default: a majority, at least two, or one if
   * there is only one endpoint.
   */
  agreeingWitnesses: z.int().min(1).optional(),
  /** Endpoint that announces new blocks; without it the chain is polled. */
  wsUrl: url(/^wss?$/, 'ws:// or wss://').optional(),
  bridge: address,
  /** keccak256 of the bridge's code: the enclave accepts no other. */
  bridgeCodeHash: hexOf(64, 'expected 32 bytes').optional(),
  /** `EnclaveKeyRegistry`. */
  registry: address.optional(),
  /** `OrderVault`. Without it the chain has no scheduled orders. */
  vault: address.optional(),
  /** Block at or before the bridge's deployment, where reading starts. */
  startBlock: natural,
  /** Blocks on top of a block before we, or the enclave, act on it (independent of Ponder's finality). */
  confirmations: natural,
  /** Gas price limit in gwei of the relayer, the order service and solvers; default: by chain, see `findGasPriceCap`. */
  maxFeeGwei: z.number().min(0.000_001).max(1_000_000).optional(),
  /** Gas in gwei that the bridge's minimum of a token is worth, to the order service; default: `ORDERS_GWEI_PER_MINIMUM`. */
  gweiPerMinimum: z.int().min(1).optional(),
  /** Tokens by symbol, for display, routes and the vault's ledger. */
  tokens: z.record(z.string().min(1), tokenSchema).optional(),
  /** Pages of a block explorer, for links. */
  blockExplorer: z
    .strictObject({
      transaction: pageTemplate('{hash}'),
      address: pageTemplate('{address}').optional(),
      block: pageTemplate('{number}').optional(),
    })
    .optional(),
  /** Safe 1.4.1, if it isn't at its canonical addresses. */
  safe: z
    .strictObject({
      singleton: address,
      proxyFactory: address,
      fallbackHandler: address,
      multiSendCallOnly: address,
    })
    .partial()
    .optional(),
})

/** A chain that Cairn follows. */
export type ChainConfig = z.output<typeof chainFields>

/**
 * An entry of `rpcUrls` may also be `{"url": …, "requestsPerSecond": …, "operator": …}`, whose fields are moved to
 * fields of their own, so that programs that only need URLs find plain ones.
 */
function moveRates(entry: unknown): unknown {
  const { rpcUrls, ...rest } = (entry ?? {}) as {
    rpcUrls?: unknown
    requestsPerSecond?: object
    operators?: object
  }
  if (!Array.isArray(rpcUrls)) return entry
  const rates: Record<string, unknown> = { ...rest.requestsPerSecond }
  const operators: Record<string, unknown> = { ...rest.operators }
  const urls = rpcUrls.map((one: unknown) => {
    const { url, requestsPerSecond, operator, ...unknown } = Object(one)
    if (typeof url !== 'string' || Object.keys(unknown).length > 0) return one
    if (requestsPerSecond !== undefined) rates[url] = requestsPerSecond
    if (operator !== undefined) operators[url] = operator
    return url
  })
  return {
    ...rest,
    rpcUrls: urls,
    ...(Object.keys(rates).length > 0 && { requestsPerSecond: rates }),
    ...(Object.keys(operators).length > 0 && { operators }),
  }
}

/** Schema of an entry of the chains file; unknown fields are errors, since most are typing errors. */
export const chainSchema = z.preprocess(
  moveRates,
  chainFields.refine((chain) => (chain.agreeingWitnesses ?? 1) <= countOperators(chain), {
    path: ['agreeingWitnesses'],
    error: 'expected at most the number of operators of rpcUrls (by default one for each host)',
  }),
)

type Endpoints = Pick<ChainConfig, 'rpcUrls' | 'operators'>

/** An endpoint's operator; endpoints of one operator count once. */
export function operatorOf({ operators }: Pick<Endpoints, 'operators'>, rpcUrl: string): string {
  return operators?.[rpcUrl] ?? URL.parse(rpcUrl)?.host ?? rpcUrl
}

export function countOperators(chain: Endpoints): number {
  return new Set(chain.rpcUrls.map((url) => operatorOf(chain, url))).size
}

export const chainsFileSchema = z.strictObject({
  chains: z.array(chainSchema).min(1, 'expected at least one chain'),
})
