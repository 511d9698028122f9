import { BaseError, HttpRequestError, parseUnits, TimeoutError } from 'viem'
import { readNodesWords } from '../readNodesWords.ts'
import { detailOf } from './simulateCall.ts'

/** Outcome of sending signed bytes to all nodes. */
export type BroadcastResult =
  /** A node has them. */
  | { kind: 'accepted' }
  /** Their nonce is used, by one of our versions or a foreign transaction. */
  | { kind: 'nonce-used' }
  /** They pay too little for the node, or too little to replace a transaction with the same nonce. */
  | { kind: 'underpriced' }
  /** At their price, their gas could cost more than a node lets any transaction cost. */
  | { kind: 'too-costly'; problem: 'NOT_TAKEN'; detail: string }
  /** Their gas limit is below the minimum of such a transaction, or above a block's or a transaction's maximum. */
  | { kind: 'wrong-gas'; problem: 'GAS_LIMIT'; detail: string }
  /** No node will ever accept them, whatever they pay. */
  | { kind: 'invalid'; problem: 'NOT_VALID'; detail: string }
  /** A node may accept them later. */
  | { kind: 'retry'; problem: 'OUT_OF_GAS' | 'NOT_TAKEN' | 'RPC_UNREACHABLE'; detail: string }

type Kind = BroadcastResult['kind']
type Refusal = { [K in Kind]: Omit<Extract<BroadcastResult, { kind: K }>, 'detail'> }[Kind]

const NOT_ACCEPTED: Refusal = { kind: 'retry', problem: 'NOT_TAKEN' }
/** By default, Geth and Reth take no transaction that could cost more than one coin, Bor none above five. */
const COST_CAP = /exceeds the configured cap \((\d+(?:\.\d+)?) (ether|wei)\)/
const UNREACHABLE: Refusal = { kind: 'retry', problem: 'RPC_UNREACHABLE' }

/**
 * In order of precedence: the first one that any node gives decides, because what one node has seen no other can deny. The
 * patterns cover the messages of Geth, Nethermind, Erigon, Reth, Besu and anvil.
 */
const REFUSALS: readonly (readonly [Refusal, RegExp | null])[] = [
  [
    { kind: 'accepted' },
    /already ?(known|imported|exists)|known ?transaction|existing tx with same hash/i,
  ],
  [
    { kind: 'underpriced' },
    /underpriced|fee ?too ?low|below (current )?base ?fee|less than block base ?fee|gas[ _]?price[ _](too[ _]low|below)|fee below|replacement ?not ?allowed|could not replace|tip.*below/i,
  ],
  [{ kind: 'retry', problem: 'OUT_OF_GAS' }, /insufficient ?funds|upfront[ _]?cost|overdraft/i],
  [
    { kind: 'wrong-gas', problem: 'GAS_LIMIT' },
    /intrinsic[ _]?gas|(exceeds|above)[ _](the )?block[ _]gas[ _]limit|gas ?limit ?((is )?too (high|low)|(cap)?exceeded|must be at most)|exceeds max(imum)? (per-)?transaction gas limit|floor data gas|tx_gas_limit_cap/i,
  ],
  // A node that lies about the nonce must not keep us from paying what others want; on a used one that has no effect.
  [{ kind: 'nonce-used' }, /nonce[ _]?(is )?too[ _]?low|old ?nonce|nonce.*lower than/i],
  [{ kind: 'too-costly', problem: 'NOT_TAKEN' }, COST_CAP],
  [NOT_ACCEPTED, null],
  [UNREACHABLE, null],
  // Last, because one node isn't enough to give up: all must say so.
  [
    { kind: 'invalid', problem: 'NOT_VALID' },
    /oversized|size ?(limit )?exceed|max ?initcode|type not supported|invalid (sender|signature|chain ?id|transaction v, r, s)|higher than max fee per gas|sender is (a )?contract|only replay-protected/i,
  ],
]

/** Combines the providers' errors into one result. */
export function classifyBroadcastErrors(errors: readonly unknown[]): BroadcastResult {
  const refusals = errors.map(refusalOf)
  const [refusal = NOT_ACCEPTED] = REFUSALS.find(([one]) => refusals.includes(one)) ?? []
  if (!('problem' in refusal)) return refusal
  const detail = detailOf(errors[refusals.indexOf(refusal)])
  return { ...refusal, detail } as BroadcastResult
}

/** The most that a transaction's gas may cost, in wei, by the `detail` of a `too-costly` result. */
export function readCostCap(detail: string): bigint {
  const [, cap = '0', unit] = COST_CAP.exec(detail) ?? []
  return parseUnits(cap, unit === 'ether' ? 18 : 0)
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof TimeoutError) return UNREACHABLE
  const isHttp = error instanceof HttpRequestError
  if (isHttp && !REFUSING.has(error.status ?? 0)) return UNREACHABLE
  const message = messageOf(error)
  const refusal = REFUSALS.find(([, pattern]) => pattern?.test(message))?.[0]
  return refusal ?? (isHttp ? UNREACHABLE : NOT_ACCEPTED)
}

/** Statuses with which some hosts send a node's refusal. */
const REFUSING = new Set([400, 422])

/** The node's message without viem's own text, which quotes the request. */
function messageOf(error: unknown): string {
  if (error instanceof BaseError)
    return `${readNodesWords(error.details)} ${readNodesWords(error.shortMessage)}`
  return readNodesWords(error instanceof Error ? error.message : String(error))
}
