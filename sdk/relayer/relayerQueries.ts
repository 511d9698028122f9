import type { RelayerIntent } from './relayerResponses.ts'

/** Filters: an intent must match all of them. Default: all intents, newest first. Chains are names or numbers. */
export type IntentQuery = {
  /** One, or several separated by commas: `pending,solving`. */
  status?: RelayerIntent['status'] | (string & {}) | undefined
  /** The refund's status: `waiting`, `due` or `done`, or several separated by commas. */
  refundStatus?: NonNullable<RelayerIntent['refund']>['status'] | (string & {}) | undefined
  sourceChainId?: string | number | undefined
  destChainId?: string | number | undefined
  sender?: string | undefined
  /** The winner. */
  solver?: string | undefined
  /** An address, or a listed token's symbol. */
  tokenA?: string | undefined
  tokenB?: string | undefined
  /** At or after. ISO 8601 or unix seconds, like all times here. */
  createdAfter?: string | number | undefined
  createdBefore?: string | number | undefined
  updatedAfter?: string | number | undefined
  updatedBefore?: string | number | undefined
  /** When the auction ends. */
  endsAfter?: string | number | undefined
  endsBefore?: string | number | undefined
  settledAfter?: string | number | undefined
  settledBefore?: string | number | undefined
  /** Base units of tokenA, like the next five. */
  minAmountA?: bigint | undefined
  maxAmountA?: bigint | undefined
  minReward?: bigint | undefined
  maxReward?: bigint | undefined
  /** Lists only settled intents, like `maxFee`. */
  minFee?: bigint | undefined
  maxFee?: bigint | undefined
  /** `settledAt` and `fee` list only settled intents. */
  orderBy?:
    | 'createdAt'
    | 'updatedAt'
    | 'endTime'
    | 'amountA'
    | 'reward'
    | 'settledAt'
    | 'fee'
    | undefined
  direction?: 'asc' | 'desc' | undefined
  /** 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined
  /** As of the end of a block: `base_sepolia:1234567`. */
  asOfBlock?: string | undefined
  /** Whether the answer has `total`, the number of matching intents. */
  total?: boolean | undefined
}

/** Which pairs to list. Default: all. */
export type RouteQuery = {
  /** Names or numbers. */
  sourceChain?: string | number | undefined
  destChain?: string | number | undefined
  tokenA?: string | undefined
  tokenB?: string | undefined
}

/** A quote's request. Amounts in base units of tokenA. */
export type QuoteQuery = {
  /** ChainId names, or numbers as text. */
  sourceChain: string
  destChain: string
  tokenA: `0x${string}`
  tokenB: `0x${string}`
  amountA: bigint
  /** Default: a reward that recently sufficed. */
  reward?: bigint | undefined
  /** Whether any recipient is a registered wallet. Default false. */
  shielded?: boolean | undefined
}

/** Which of a recipient's addresses to list. Default: all. */
export type ListedAddresses = {
  /** Only those whose Safes hold a listed token, which a relayer lists first. */
  isFunded?: boolean | undefined
}
