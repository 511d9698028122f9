import { z } from 'zod'
import type { NamedSafeContracts } from '../../core/safe/safeContracts.ts'

/** One chain that Cairn follows. */
export type ChainConfig = {
  /** The ChainId name of the interface, e.g. `base_sepolia`. */
  name: string
  chainId: number
  /** JSON-RPC endpoints over HTTP, the preferred one first. */
  rpcUrls: string[]
  /** Requests a second, by URL; a URL that isn't listed has no limit. */
  requestsPerSecond?: Record<string, number> | undefined
  /** Who runs an endpoint, by URL: one operator's endpoints count once. Default: its host. */
  operators?: Record<string, string> | undefined
  /** Whether senders must sign for recipients on this chain. Default: as `AUTH_MODE` says. */
  mode?: 'strict' | 'compat' | undefined
  /**
   * How many endpoint operators must agree before the enclave attests. Default: most of them, two at least;
   * with one endpoint that one.
   */
  agreeingWitnesses?: number | undefined
  /** Endpoint that announces new blocks; without it the chain is polled. */
  wsUrl?: string | undefined
  /** `BridgeIntentV2`. */
  bridge: `0x${string}`
  /** keccak256 of the bridge's code: the enclave believes no other. */
  bridgeCodeHash?: `0x${string}` | undefined
  /** `EnclaveKeyRegistry`. */
  registry?: `0x${string}` | undefined
  /** `OrderVault`. Without one the chain has no scheduled orders. */
  vault?: `0x${string}` | undefined
  /** Block at or before the bridge's deployment: nothing earlier is read. */
  startBlock: number
  /** Blocks on top of a block before we act on it, the enclave included (Ponder's own finality depth is another thing). */
  confirmations: number
  /** Gwei that the relayer pays for each gas at most; default: by chain, see `gasPriceCap`. */
  maxFeeGwei?: number | undefined
  /** Tokens by symbol, for display and routes. */
  tokens?: Record<string, TokenConfig> | undefined
  /** Where people look at the chain: addresses of pages, for links. */
  blockExplorer?: BlockExplorer | undefined
  /** Safe 1.4.1, where a chain has it elsewhere than at the canonical addresses. */
  safe?: NamedSafeContracts | undefined
}

/** Addresses of a block explorer's pages, with a placeholder each. */
type BlockExplorer = {
  /** With `{hash}`. */
  transaction: string
  /** With `{address}`. */
  address?: string | undefined
  /** With `{number}`. */
  block?: string | undefined
}

type TokenConfig = {
  address: `0x${string}`
  decimals: number
  /** Deeper confirmation of deliveries and deposits from this amount on (decimal, base units). */
  confirmations?: { from: string; blocks: number }[] | undefined
}

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'expected an address: 0x and 40 hex digits')
  .transform((text) => text as `0x${string}`)

const natural = z.int().min(0)

function url(protocols: RegExp, words: string) {
  return z.url({ protocol: protocols, error: `expected a URL that begins with ${words}` })
}

const tokenSchema: z.ZodType<TokenConfig> = z.strictObject({
  address,
  decimals: z.int().min(0).max(77),
  confirmations: z
    .array(
      z.strictObject({
        from: z.string().regex(/^\d{1,78}$/, 'expected a decimal amount in base units'),
        blocks: natural,
      }),
    )
    .optional(),
})

/** A page's address with a placeholder for what it is about. Only http and https: it becomes a link. */
function pageTemplate(placeholder: string) {
  return z.string().refine((text) => {
    const filled = URL.parse(text.replaceAll(placeholder, '1'))
    return text.includes(placeholder) && /^https?:$/.test(filled?.protocol ?? '')
  }, `expected a URL that begins with https:// and contains ${placeholder}`)
}

const blockExplorerSchema = z.strictObject({
  transaction: pageTemplate('{hash}'),
  address: pageTemplate('{address}').optional(),
  block: pageTemplate('{number}').optional(),
})

/**
 * An entry of `rpcUrls` may also be `{"url": …, "requestsPerSecond": …, "operator": …}`; these then move to
 * fields of their own, so that programs which only want URLs find them as they are.
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

const chainFields = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9_]*$/, 'expected a chain name in lower case, such as base_sepolia'),
  chainId: z.int().min(1),
  rpcUrls: z.array(url(/^https?$/, 'http:// or https://')).min(1, 'expected at least one URL'),
  requestsPerSecond: z.record(z.string(), z.number().positive()).optional(),
  operators: z.record(z.string(), z.string().min(1)).optional(),
  mode: z.enum(['strict', 'compat']).optional(),
  agreeingWitnesses: z.int().min(1).optional(),
  wsUrl: url(/^wss?$/, 'ws:// or wss://').optional(),
  bridge: address,
  bridgeCodeHash: z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/, 'expected 32 bytes')
    .transform((text) => text as `0x${string}`)
    .optional(),
  registry: address.optional(),
  vault: address.optional(),
  startBlock: natural,
  confirmations: natural,
  maxFeeGwei: z.number().min(0.000_001).max(1_000_000).optional(),
  tokens: z.record(z.string().min(1), tokenSchema).optional(),
  blockExplorer: blockExplorerSchema.optional(),
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

/** Shape of one entry of the chains file; unknown fields are errors, since most are typing errors. */
export const chainSchema: z.ZodType<ChainConfig> = z.preprocess(
  moveRates,
  chainFields.refine(
    ({ agreeingWitnesses = 1, rpcUrls }) => agreeingWitnesses <= new Set(rpcUrls).size,
    { path: ['agreeingWitnesses'], error: 'expected at most the number of different rpcUrls' },
  ),
)

/** Shape of the chains file. */
export const chainsFileSchema = z.strictObject({
  chains: z.array(chainSchema).min(1, 'expected at least one chain'),
})
