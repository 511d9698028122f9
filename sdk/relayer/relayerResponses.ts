import * as z from 'zod/mini'
import { listOf } from '../../core/validation/listOf.ts'

/** Text of a form, converted. */
function read<Value>(form: RegExp, value: (text: string) => Value) {
  return z.pipe(z.string().check(z.regex(form)), z.transform(value))
}

export const address = read(/^0x[0-9a-fA-F]{40}$/, (text) => text as `0x${string}`)
export const hex = read(/^0x[0-9a-fA-F]*$/, (text) => text as `0x${string}`)
/** Public keys come with or without `0x`. */
export const key = read(
  /^(0x)?[0-9a-fA-F]+$/,
  (text) => (text.startsWith('0x') ? text : `0x${text}`) as `0x${string}`,
)
/** An unsigned 256-bit integer. With a larger id, a solver couldn't read its chain at all, and would lose its bonds. */
export const integer = z.pipe(read(/^\d{1,78}$/, BigInt), z.bigint().check(z.lt(1n << 256n)))
const chainId = z.pipe(
  z.pipe(z.union([z.string().check(z.regex(/^\d{1,16}$/)), z.number()]), z.transform(Number)),
  z.int().check(z.positive()),
)
/** As unix seconds. */
const moment = z.pipe(
  read(/./, (text) => Math.floor(Date.parse(text) / 1_000)),
  z.int(),
)

/** Only its first wrong value is described: see `listOf`. */
const textsByName = z.pipe(
  z.custom((value) => Object.values(Object(value)).every((one) => typeof one === 'string')),
  z.record(z.string(), z.string()),
)

/** The fields of an intent's record that programs need most. The relayer returns more. */
const intentAnswer = z.object({
  intentId: integer,
  sourceChainId: chainId,
  destChainId: chainId,
  status: z.enum(['pending', 'solving', 'settled', 'completed', 'failed', 'expired', 'cancelled']),
  /** True once an event has closed it; `expired` and `failed` by the clock alone aren't terminal. */
  isTerminal: z.boolean(),
  sender: address,
  tokenA: address,
  tokenB: address,
  /** Base units of tokenA, like `reward`. */
  amountA: integer,
  /** The least that must be delivered, in base units of tokenB. */
  expectedAmountB: integer,
  /** The amount the winner has to deliver, in base units of tokenB; null until it deposits. */
  winningAmountB: z._default(z.nullable(integer), null),
  reward: integer,
  /** What the sender signs with recipients that it names later (`storeRecipientsMessage`). */
  paramsHash: hex,
  /** Basis points of amountA: 250, or 700 for registered recipients; null until anchored. */
  feeBps: z.nullable(z.number()),
  /** Unix seconds: the time of the block that created it. */
  timestamp: moment,
  /** Unix seconds: when the auction ends. */
  endTime: moment,
  /** The winner; null before there is one. */
  solverAddress: z.nullable(address),
  /** Unix seconds: when the delivery is due; null until deposited. */
  fillDeadline: z._default(z.nullable(moment), null),
  createTxHash: hex,
  anchorTxHash: z.nullable(hex),
  depositTxHash: z.nullable(hex),
  solveTxHash: z.nullable(hex),
  settleTxHash: z.nullable(hex),
  /** Unix seconds; null until completed. */
  settledAt: z._default(z.nullable(moment), null),
  /** The delivery's id on the destination chain; null until settled. */
  chain2IntentId: z.nullable(integer),
  /** Null while there is nothing to refund. */
  refund: z._default(
    z.nullable(
      z.object({
        /** While it is `due`, anyone may call `refund`. */
        status: z.enum(['waiting', 'due', 'done']),
        txHash: z.nullable(hex),
        /** Base units of tokenA. */
        amount: integer,
        /** Unix seconds: when it was made; null before. */
        at: z._default(z.nullable(moment), null),
      }),
    ),
    null,
  ),
})
/** An intent as the relayer returns it. */
export type RelayerIntent = z.output<typeof intentAnswer>

export const privateAnswer = z.object({
  intentId: integer,
  sourceChainId: chainId,
  recipients: listOf(address),
  /** What each recipient was paid, in base units of tokenB. */
  amounts: listOf(integer),
  metadata: textsByName,
  viewers: listOf(address),
})
/** What the sender and its viewers may read about a settled intent. */
export type PrivateDetails = z.output<typeof privateAnswer>

export const intentPageAnswer = z.object({
  intents: listOf(intentAnswer),
  nextCursor: z.nullable(z.string()),
  /** Chains whose intents are missing from the answer. */
  notIndexedYet: z._default(listOf(z.string()), []),
  /** Number of matching intents, if the query asked for it. */
  total: z.optional(z.number()),
  /** False if there are more than `total`. */
  totalIsExact: z.optional(z.boolean()),
})

export const intentDetailsAnswer = z.object({ intent: intentAnswer })

export const batchesAnswer = z.object({
  batches: listOf(
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

/** The recipients: sealed to the winner's key and signed by enclaves, in plaintext, or both. */
export const recipientsAnswer = z.object({
  intentId: z.string(),
  chainId,
  recipients: listOf(address),
  amounts: listOf(integer),
  totalAmount: z.nullish(integer),
  encryptedData: z.nullish(hex),
  /** The enclaves' signatures over `encryptedData` as a `Reveal`, sorted by signer. */
  signatures: z.nullish(listOf(hex)),
})
export type RelayerRecipients = z.output<typeof recipientsAnswer>

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
  routes: listOf(route),
  solvers: listOf(z.looseObject({ address, routes: listOf(route) })),
})

export const quoteAnswer = z.object({
  quote: z.object({
    amountA: integer,
    /** The reward the quote assumes: the given one, or a sufficient one. */
    reward: integer,
    /** 250 basis points, or 700 for registered recipients. */
    feeBps: z.number(),
    /** In base units of tokenA. */
    fee: integer,
    /** Expected output in tokenB, from the pair's recent intents; null if there were none. */
    amountB: z.nullable(integer),
    /** The expected output of the solver that delivered the most. */
    bestAmountB: z.nullable(integer),
    /** A reward in tokenA that recently sufficed. */
    sufficientReward: z.nullable(integer),
    /** Seconds from creation to settlement. */
    completionSeconds: z.nullable(z.object({ p50: z.number(), p95: z.number() })),
    /** The completed intents behind the figures. */
    basis: z.object({
      kind: z.string(),
      intents: z.number(),
      solvers: z.number(),
      totalAmountA: integer,
      largestAmountA: integer,
      createdWithinSeconds: z.number(),
    }),
    /** The amount of tokenA a solver locks for a bid. */
    bond: integer,
    /** Solvers with a stake that bid or registered recently. */
    liveSolvers: z.number(),
    /** Those of them whose stake covers this bid. */
    ableSolvers: z.number(),
    solvers: listOf(
      z.object({
        address,
        auctions: z.number(),
        /** Unix seconds. */
        lastBidAt: z.nullable(moment),
        isRegistered: z.boolean(),
        wins: z.number(),
        stake: integer,
        freeStake: integer,
        isAble: z.boolean(),
      }),
    ),
  }),
})
/** An intent's expected outcome, from its pair's recent completions. */
export type RelayerQuote = z.output<typeof quoteAnswer>['quote']

const tokenBalance = z.object({
  token: address,
  /** Base units. */
  balance: integer,
  /** Whether the relayer's operator lists the token; anyone can issue others. */
  isListed: z.boolean(),
})

const stealthEntry = z.object({
  /** The stealth address: the Safe's only owner. */
  address,
  ephemeralPubKey: key,
  /** The chain of the delivery. */
  chainId,
  intentId: integer,
  /** The Safe that is paid. */
  safeAddress: address,
  safeDeployed: z.boolean(),
  /** Unix seconds of the check of `safeDeployed`; null if the chain couldn't be read, and `false` then says nothing. */
  safeDeployedAsOf: z._default(z.nullable(z.number()), null),
  /** Unix seconds: when the address was made. */
  createdAt: z.number(),
  /** The Safe's balances as of `balancesAt`; empty if nothing has arrived. */
  balances: z._default(listOf(tokenBalance), []),
  /** Unix seconds of the block the balances are from; null before the first read. */
  balancesAt: z._default(z.nullable(z.number()), null),
  /** Funds arrived and have all left. */
  swept: z._default(z.boolean(), false),
  /** Unix seconds of the last block whose transfers were read; null before the first read. */
  transfersReadTo: z._default(z.nullable(z.number()), null),
})
/** A delivery's address and its state. */
export type StealthEntry = z.output<typeof stealthEntry>

export const recipientAnswer = z.object({
  spendPubKey: key,
  viewPubKey: key,
  stealthAddresses: listOf(stealthEntry),
})
export type RegisteredRecipient = z.output<typeof recipientAnswer>

export const stealthAddressesAnswer = z.object({
  stealthAddresses: listOf(stealthEntry),
  nextCursor: z._default(z.nullable(z.string()), null),
})
export type StealthAddressPage = z.output<typeof stealthAddressesAnswer>

export const generatedStealthAnswer = z.object({ stealthAddress: address, safeAddress: address })

export const stealthKeyAnswer = z.object({ stealthAddress: address, stealthPrivateKey: hex })

/** `txHash` is the deployment's; null if someone else deployed the Safe too long ago to be found. */
export const deployedSafeAnswer = z.object({ safeAddress: address, txHash: z.nullable(hex) })

export const relayedAnswer = z.object({
  txHash: read(/^0x[0-9a-fA-F]{64}$/, (text) => text as `0x${string}`),
})

const signedStatement = z.object({
  intentId: integer,
  chainId,
  /** Sorted by signer. */
  signatures: listOf(hex),
  signers: listOf(address),
  /** The transaction that puts it on chain; anyone may send it. */
  call: z.object({ to: address, data: hex }),
})
export const signedAnchorAnswer = z.extend(signedStatement, { encryptedBlob: hex })
export const signedRevealAnswer = z.extend(signedStatement, { sealed: hex })
export type SignedAnchor = z.output<typeof signedAnchorAnswer>
export type SignedReveal = z.output<typeof signedRevealAnswer>

/** More than any relayer has: each is looked up in the registry. */
const MAX_ENCLAVES = 100

export const attestationAnswer = z.object({
  enclaves: z
    .array(
      z.object({
        kind: z.string(),
        quote: hex,
        measurement: hex,
        configuration: z.string(),
        configurationDigest: hex,
        keys: z.object({ eciesPublicKey: key, attester: address }),
      }),
    )
    .check(z.maxLength(MAX_ENCLAVES)),
})
/** An enclave's own statement, which `enclaveKey` compares with the registry. */
export type EnclaveAttestation = z.output<typeof attestationAnswer>['enclaves'][number]

/** One page of intents. Pass `nextCursor` as the next query's `cursor` until it is null. */
export type IntentPage = z.output<typeof intentPageAnswer>
export type Settled = z.output<typeof settledAnswer>
export type Routes = z.output<typeof routesAnswer>
export type GeneratedStealth = z.output<typeof generatedStealthAnswer>
export type DeployedSafe = z.output<typeof deployedSafeAnswer>
