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
  /** Without them the rule holds for every chain. */
  sourceChain: z.string().optional(),
  destChain: z.string().optional(),
  /** Whole tokenB for one whole tokenA, in place of the prices' ratio. */
  rate: positive.optional(),
  marginBps: bps.optional(),
  /** False: this pair isn't served. */
  serve: z.boolean().default(true),
})

/**
 * A solver's policy as its operator writes it. Money is in two units: "value" is the unit that
 * `prices` are in (say, dollars); token amounts are in whole tokens. Both are decimals in quotes.
 */
export const policySchema = z.strictObject({
  /** Chains to serve, by name; default all that are configured. */
  chains: z.array(z.string()).min(1, 'expected at least one chain').optional(),
  /** Value of one whole token by symbol. A token without a price is not traded. */
  prices: z.record(symbol, positive),
  /** What a delivery must earn at least, in basis points of what it brings in. */
  marginBps: bps,
  /** Exceptions by pair; the first that fits holds. */
  pairs: z.array(pairSchema).default([]),
  limits: z
    .strictObject({
      /** Value of one intent. */
      intent: decimal.optional(),
      /** Value of everything that is bid, locked, or delivered and not settled yet. */
      overall: decimal.optional(),
      /** The same for one token on all chains together, in whole tokens, by symbol. */
      tokens: z.record(symbol, decimal).default({}),
    })
    .prefault({}),
  /**
   * What to stake, in whole tokens by symbol, on each served chain that has the token. Only stake backs
   * bids; an unnamed token can be delivered, but not bid for.
   */
  stakes: z.record(symbol, decimal).default({}),
  gas: z
    .strictObject({
      /** Value set aside for the transactions of one intent. */
      allowance: decimal.default('0'),
      /** Value set aside on top for each recipient that the intent may have. */
      perRecipient: decimal.default('0'),
      /** Whole native coins below which a chain is left alone. */
      reserve: decimal.default('0.01'),
    })
    .prefault({}),
  bidding: z
    .strictObject({
      /** Blocks that may still take the last bid when it is sent: fewer, and it may come too late. */
      finalBlocks: z.int().min(1).max(20).default(2),
    })
    .prefault({}),
  /** Whether to pick up what the best bidder left behind. */
  rescue: z.boolean().default(true),
  /** Seconds before the deadline from which no delivery is begun: it could come too late, and revert. */
  deliverySafetySeconds: seconds.default(120),
})

export type PolicyFile = z.input<typeof policySchema>

export type ParsedPolicy = z.output<typeof policySchema>
