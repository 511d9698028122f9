import { z } from 'zod'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { getHeaderFieldPattern } from './headerFieldPattern.ts'
import {
  BASE_HEADER_FIELDS,
  type BlockHeader,
  FORK_HEADER_FIELDS,
  type HeaderFieldKind,
} from './headerFields.ts'

/** A proof document's format, and its current version. */
export const PROOF_FORMAT = 'cairn-intent-proof'
export const PROOF_VERSION = 1

/** Maximum number of events in a document; longer histories have pages. */
const MAX_EVENTS = 128

/** Maximum number of nodes from root to leaf: a key of 3 bytes has 6 nibbles, so a trie's depth is at most 8. */
const MAX_NODES = 8

/** Maximum bytes of one receipt or node. Even a receipt that fills a block with logs is smaller. */
const MAX_HEX = 2 + 2 * 2 * 1024 * 1024

/** Text of this pattern, typed as hex, which zod's own types can't express. */
const matching = (pattern: RegExp) =>
  z.string().max(MAX_HEX).regex(pattern) as unknown as z.ZodType<Hex, Hex>
const hex = matching(/^0x(?:[0-9a-f]{2})+$/)
const hash = matching(/^0x[0-9a-f]{64}$/)
const address = matching(/^0x[0-9a-f]{40}$/)
const field = (kind: HeaderFieldKind) => matching(getHeaderFieldPattern(kind))
const natural = z.int().min(0)
const decimal = z.string().regex(/^(?:0|[1-9][0-9]{0,77})$/)

/** An event's position over all chains: block time, chain id, block number, log index. */
const cursor = z.string().regex(/^\d{1,16}(?:\.\d{1,16}){3}$/)

const headerShape = {
  ...Object.fromEntries(
    Object.entries(BASE_HEADER_FIELDS).map(([name, kind]) => [name, field(kind)]),
  ),
  ...Object.fromEntries(
    Object.entries(FORK_HEADER_FIELDS).map(([name, kind]) => [name, field(kind).optional()]),
  ),
}

/** All RLP fields of a header; an unknown field is an error. */
const headerSchema = z.strictObject(headerShape) as unknown as z.ZodType<BlockHeader>

/** One event: its proof, and claims that a receipt can't prove. */
const eventProofSchema = z.strictObject({
  /** Solidity name of the event. */
  type: z.string().max(64),
  chainId: z.int().min(1),
  blockHash: hash,
  header: headerSchema,
  transactionIndex: natural.max(0xff_ff_ff),
  /** The receipt as in the trie. */
  receipt: hex,
  /** The trie's nodes from the root to the receipt. */
  proof: z.array(hex).min(1).max(MAX_NODES),
  /** Position of the log within the receipt, from 0. */
  logPosition: natural,
  /** Not in the receipt, so not proven. */
  claimed: z.strictObject({
    /** Position of the log within the block. */
    logIndex: natural,
    transactionHash: hash,
    transactionFrom: address,
  }),
})

/** A whole proof document. */
export const proofDocumentSchema = z.strictObject({
  format: z.literal(PROOF_FORMAT),
  version: z.literal(PROOF_VERSION),
  /** Packed id of the intent, decimal. */
  intentId: decimal,
  sourceChainId: z.int().min(1),
  /** The bridges that wrote the events: compare them with those you trust. */
  bridges: z
    .array(
      z.strictObject({
        chainId: z.int().min(1),
        /** The chain's name, for people. */
        name: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/),
        address,
      }),
    )
    .min(1)
    .max(64)
    .refine((all) => new Set(all.map(({ chainId }) => chainId)).size === all.length, {
      error: 'one bridge a chain',
    }),
  /** `BridgeDeployed` of the source chain's bridge, which proves its windows; null if not known. */
  deployment: eventProofSchema.nullable(),
  /** Events of the intent, each chain's in the chain's order. */
  events: z.array(eventProofSchema).max(MAX_EVENTS),
  /** Cursors of the previous and next page, null at the ends. */
  page: z.strictObject({ after: cursor.nullable(), next: cursor.nullable() }),
})

export type EventProof = z.infer<typeof eventProofSchema>
export type ProofDocument = z.infer<typeof proofDocumentSchema>
