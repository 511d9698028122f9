import { z } from 'zod'

const decimal = z
  .string({ error: 'expected a decimal number in quotes, such as "0.05"' })
  .regex(/^\d{1,30}(\.\d{1,30})?$/, 'expected a decimal number in quotes, such as "0.05"')

const positive = decimal.refine((text) => /[1-9]/.test(text), 'expected more than zero')

const bps = z.int().min(0).max(9_999)

const seconds = z.int().min(0).max(86_400)

const symbol = z.string().min(1)

const pairSchema = z.strictObject({
  tokenA: symbol,
  tokenB: symbol,
  /** Default: every chain. */
  sourceChain: z.string().optional(),
  destChain: z.string().optional(),
  /** Whole tokenB per whole tokenA, instead of the ratio of the prices. */
  rate: positive.optional(),
  marginBps: bps.optional(),
  serve: z.boolean().default(true),
})

/**
 * A solver's policy file. Values are in the unit of `prices`, such as dollars; token amounts are in whole tokens. Both
 * are decimals in quotes.
 */
export const policySchema = z.strictObject({
  /** Names of the chains to serve. Default: all that are configured. */
  chains: z.array(z.string()).min(1, 'expected at least one chain').optional(),
  /** Value of a whole token by symbol. Tokens without a price are not traded. */
  prices: z.record(symbol, positive),
  /** Minimum profit of a delivery, in basis points of its payout. */
  marginBps: bps,
  /** Exceptions by pair; the first match applies. */
  pairs: z.array(pairSchema).default([]),
  limits: z
    .strictObject({
      intent: decimal.optional(),
      /** Value of everything bid, locked, or delivered and not settled. */
      overall: decimal.optional(),
      /** The same per token over all chains, in whole tokens by symbol. */
      tokens: z.record(symbol, decimal).default({}),
      /** Value of bonds forfeited in 24 hours; beyond it, no new bids, and stakes aren't refilled. */
      forfeited: decimal.optional(),
    })
    .prefault({}),
  /**
   * Stake on each served chain that has the token, in whole tokens by symbol. Stake backs bids of twenty times as much:
   * intents that sell a token without stake get no bid. "0" withdraws all, also after POST /stop.
   */
  stakes: z.record(symbol, decimal).default({}),
  gas: z
    .strictObject({
      /** Value reserved for the transactions of an intent. */
      allowance: decimal.default('0'),
      /** Value reserved in addition for each possible recipient. */
      perRecipient: decimal.default('0'),
      /**
       * Value of a whole native coin by chain name. Gas on these chains then counts at their present price, in addition to
       * the two above. Without it, a sender can have 200 people paid at our cost when gas is dear.
       */
      coins: z.record(z.string(), positive).default({}),
      /** Whole native coins; with less, no new bids on a chain. On rollups, include data fees. */
      reserve: decimal.default('0.01'),
    })
    .prefault({}),
  bidding: z
    .strictObject({
      /** Blocks before the end that may include the final bid: with fewer it may be too late. */
      finalBlocks: z.int().min(1).max(20).default(2),
    })
    .prefault({}),
  /**
   * Whether to forfeit the bond rather than deliver at a greater loss, by present prices and gas. As long as the deadline
   * allows, the delivery follows once it loses less.
   */
  stopLoss: z.boolean().default(false),
  /** Whether to pick up intents whose best bidder doesn't deposit. */
  rescue: z.boolean().default(true),
  /** Maximum age of the file: seconds without a change after which there are no new bids. Default: no limit. */
  maxAgeSeconds: z.int().min(1).optional(),
  /** Seconds before the deadline after which no delivery starts, since it could be mined too late and revert. */
  deliverySafetySeconds: seconds.default(120),
})

export type PolicyFile = z.input<typeof policySchema>

export type ParsedPolicy = z.output<typeof policySchema>
