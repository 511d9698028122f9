import type { Hex } from '../../src/event/bridgeEvent.ts'

/** Type of a header field: fixed bytes, any bytes, or an unsigned integer of this many bits. */
export type HeaderFieldKind =
  | { form: 'bytes'; length: number }
  | { form: 'anyBytes' }
  | { form: 'integer'; bits: 64 | 256 }

const hash = { form: 'bytes', length: 32 } as const
const uint64 = { form: 'integer', bits: 64 } as const
const uint256 = { form: 'integer', bits: 256 } as const

/** The 15 fields that every header has had since genesis, in RLP order, by their RPC names. */
export const BASE_HEADER_FIELDS = {
  parentHash: hash,
  sha3Uncles: hash,
  miner: { form: 'bytes', length: 20 },
  stateRoot: hash,
  transactionsRoot: hash,
  receiptsRoot: hash,
  logsBloom: { form: 'bytes', length: 256 },
  difficulty: uint256,
  number: uint64,
  gasLimit: uint64,
  gasUsed: uint64,
  timestamp: uint64,
  extraData: { form: 'anyBytes' },
  mixHash: hash,
  nonce: { form: 'bytes', length: 8 },
} as const satisfies Record<string, HeaderFieldKind>

/**
 * The fields that forks appended, in RLP order. A header has a prefix of this list: never one field without those
 * before it.
 */
export const FORK_HEADER_FIELDS = {
  /** London, EIP-1559. */
  baseFeePerGas: uint256,
  /** Shanghai, EIP-4895. */
  withdrawalsRoot: hash,
  /** Cancun, EIP-4844. */
  blobGasUsed: uint64,
  excessBlobGas: uint64,
  /** Cancun, EIP-4788. */
  parentBeaconBlockRoot: hash,
  /** Prague, EIP-7685. */
  requestsHash: hash,
  /** Amsterdam, EIP-7928. */
  blockAccessListHash: hash,
  /** Amsterdam, EIP-7843. */
  slotNumber: uint64,
} as const satisfies Record<string, HeaderFieldKind>

/**
 * A block header in RPC form: bytes as lower-case hex, integers as hex without leading zeros (`0x0` for zero).
 */
export type BlockHeader = { [Name in keyof typeof BASE_HEADER_FIELDS]: Hex } & {
  [Name in keyof typeof FORK_HEADER_FIELDS]?: Hex | undefined
}

/** All fields with their kinds, in RLP order. */
export const HEADER_FIELDS: readonly [keyof BlockHeader, HeaderFieldKind][] = Object.entries({
  ...BASE_HEADER_FIELDS,
  ...FORK_HEADER_FIELDS,
}) as [keyof BlockHeader, HeaderFieldKind][]
