import { z } from 'zod'

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((text) => text as `0x${string}`)
const hex = z
  .string()
  .regex(/^0x[0-9a-fA-F]*$/)
  .transform((text) => text as `0x${string}`)
/** Public keys come with or without `0x`. */
const key = z
  .string()
  .regex(/^(0x)?[0-9a-fA-F]+$/)
  .transform((text) => (text.startsWith('0x') ? text : `0x${text}`) as `0x${string}`)
const integer = z.string().regex(/^\d+$/).transform(BigInt)
const chainId = z.union([z.string(), z.number()]).transform(Number)
const moment = z.string().transform((text) => Math.floor(Date.parse(text) / 1_000))

/** What of an intent's record our programs use; the relayer tells more. */
export const intentAnswer = z.object({
  intentId: integer,
  sourceChainId: chainId,
  destChainId: chainId,
  status: z.enum(['pending', 'solving', 'settled', 'completed', 'failed', 'expired', 'cancelled']),
  isTerminal: z.boolean(),
  sender: address,
  tokenA: address,
  tokenB: address,
  amountA: integer,
  expectedAmountB: integer,
  reward: integer,
  feeBps: z.number().nullable(),
  /** Unix seconds. */
  endTime: moment,
  solverAddress: address.nullable(),
  /** Unix seconds; null until deposited. */
  fillDeadline: moment.nullable().default(null),
  createTxHash: hex,
  anchorTxHash: hex.nullable(),
  depositTxHash: hex.nullable(),
  solveTxHash: hex.nullable(),
  settleTxHash: hex.nullable(),
  chain2IntentId: integer.nullable(),
})
export type RelayerIntent = z.output<typeof intentAnswer>

export const intentPageAnswer = z.object({
  intents: z.array(intentAnswer),
  nextCursor: z.string().nullable(),
  /** Chains whose intents are not in the answer yet. */
  notIndexedYet: z.array(z.string()).default([]),
})

export const intentDetailsAnswer = z.object({ intent: intentAnswer })

export const batchesAnswer = z.object({
  batches: z.array(
    z.object({
      sourceChainId: chainId,
      destChainId: chainId,
      tokenA: address,
      tokenB: address,
      count: z.number(),
      biddable: z.number(),
      totalAmount: integer,
      totalExpectedAmount: integer,
      fees: integer,
    }),
  ),
})
export type RelayerBatch = z.output<typeof batchesAnswer>['batches'][number]

export const eciesKeyAnswer = z.object({ publicKey: key })

export const storedAnswer = z.object({ intentId: z.string(), message: z.string() })

/** The recipients, sealed to the winner's own key and signed by enclaves, or in clear, or both. */
export const recipientsAnswer = z.object({
  intentId: z.string(),
  chainId,
  recipients: z.array(address),
  amounts: z.array(integer),
  totalAmount: integer.nullish(),
  encryptedData: hex.nullish(),
  /** The enclaves' over `encryptedData` as a `Reveal`, sorted by signer. */
  signatures: z.array(hex).nullish(),
})
export type RelayerRecipients = z.output<typeof recipientsAnswer>

/** What the sealed form holds, once opened. */
export const sealedRecipients = z.object({
  recipients: z.array(address),
  amounts: z.array(integer),
})

export const settledAnswer = z.object({ settleTxHash: hex, depositTxHash: hex, solveTxHash: hex })

const route = z.object({
  sourceChain: z.string(),
  destChain: z.string(),
  tokenA: address,
  tokenB: address,
})
export type Route = z.output<typeof route>

export const registeredAnswer = z.object({ solverAddress: address, routesCount: z.number() })

export const routesAnswer = z.object({
  routes: z.array(route),
  solvers: z.array(z.looseObject({ address, routes: z.array(route) })),
})

/** What came to a Safe of one token, and what is left of it. */
const tokenBalance = z.object({
  token: address,
  /** Base units. */
  balance: integer,
  /** Whether the relayer's operator lists the token; anybody can make up others. */
  isListed: z.boolean(),
})

const stealthEntry = z.object({
  /** The stealth address: the only owner of the Safe. */
  address,
  ephemeralPubKey: key,
  /** Where the money is. */
  chainId,
  intentId: integer,
  /** The Safe that is paid. */
  safeAddress: address,
  safeDeployed: z.boolean(),
  /** Unix time at which the chain was asked that; null while it couldn't be, and false then says nothing. */
  safeDeployedAsOf: z.number().nullable().default(null),
  /** Unix seconds. */
  createdAt: z.number(),
  /** What is in the Safe, as of `balancesAt`; empty where nothing has come. */
  balances: z.array(tokenBalance).default([]),
  /** Unix time of the block that `balances` are of; null before the relayer has looked. */
  balancesAt: z.number().nullable().default(null),
  /** Money came and all of it has left. */
  swept: z.boolean().default(false),
  /** Unix time of the block up to which the Safe's transfers were read; null before the first look. */
  transfersReadTo: z.number().nullable().default(null),
})
/** One delivery's address, and what became of it. */
export type StealthEntry = z.output<typeof stealthEntry>

export const recipientAnswer = z.object({
  spendPubKey: key,
  viewPubKey: key,
  stealthAddresses: z.array(stealthEntry),
})
export type RegisteredRecipient = z.output<typeof recipientAnswer>

export const stealthAddressesAnswer = z.object({ stealthAddresses: z.array(stealthEntry) })

export const generatedStealthAnswer = z.object({ stealthAddress: address, safeAddress: address })

export const stealthKeyAnswer = z.object({ stealthAddress: address, stealthPrivateKey: hex })

/** `txHash` is of whoever deployed it; null where somebody else did, longer ago than is searched. */
export const deployedSafeAnswer = z.object({ safeAddress: address, txHash: hex.nullable() })

export const relayedAnswer = z.object({ txHash: hex })
