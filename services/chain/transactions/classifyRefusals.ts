import { BaseError, HttpRequestError, TimeoutError } from 'viem'
import { hideUrls } from '../../log/hideUrls.ts'

/** What it means that no node took signed bytes. */
export type Refusal =
  /** A node has them already. */
  | { is: 'taken' }
  /** Their nonce is in a block, with one of our versions or somebody else's transaction. */
  | { is: 'spent' }
  /** They pay too little for the node, or to take the place of another transaction of their nonce. */
  | { is: 'underpriced' }
  /** Their gas limit is below what any such transaction takes, or above what a block has. */
  | { is: 'wrong-gas'; problem: 'GAS_LIMIT'; detail: string }
  /** No node will ever accept them, whatever they pay. */
  | { is: 'invalid'; problem: 'NOT_VALID'; detail: string }
  /** A node may accept them later. */
  | { is: 'later'; problem: 'OUT_OF_GAS' | 'NOT_TAKEN' | 'RPC_UNREACHABLE'; detail: string }

type Kind = { [Is in Refusal['is']]: Omit<Extract<Refusal, { is: Is }>, 'detail'> }[Refusal['is']]

const NOT_TAKEN: Kind = { is: 'later', problem: 'NOT_TAKEN' }
const UNREACHABLE: Kind = { is: 'later', problem: 'RPC_UNREACHABLE' }

/**
 * The first of these that any node gives decides: what one has seen, no other can deny. Nodes say the same in different
 * words: Geth, Nethermind, Erigon, Reth, Besu, anvil.
 */
const KINDS: readonly (readonly [Kind, RegExp | null])[] = [
  [
    { is: 'taken' },
    /already ?(known|imported|exists)|known ?transaction|existing tx with same hash/i,
  ],
  [{ is: 'spent' }, /nonce[ _]?(is )?too[ _]?low|old ?nonce|nonce.*lower than/i],
  [
    { is: 'underpriced' },
    /underpriced|fee ?too ?low|below (current )?base ?fee|less than block base ?fee|gas[ _]?price[ _](too[ _]low|below)|replacement ?not ?allowed|could not replace|tip.*below/i,
  ],
  [{ is: 'later', problem: 'OUT_OF_GAS' }, /insufficient ?funds|upfront[ _]?cost|overdraft/i],
  [
    { is: 'wrong-gas', problem: 'GAS_LIMIT' },
    /intrinsic[ _]?gas|(exceeds|above)[ _](the )?block[ _]gas[ _]limit|gas ?limit ?(too (high|low)|exceeded)|floor data gas|tx_gas_limit_cap/i,
  ],
  [NOT_TAKEN, null],
  [UNREACHABLE, null],
  // Only if all say so: one node isn't enough to give up.
  [
    { is: 'invalid', problem: 'NOT_VALID' },
    /oversized|size ?(limit )?exceed|max ?initcode|type not supported|invalid (sender|signature|chain ?id|transaction v, r, s)|higher than max fee per gas|sender is (a )?contract|only replay-protected/i,
  ],
]

/** What the providers' refusals mean together. */
export function classifyRefusals(refusals: readonly unknown[]): Refusal {
  const kinds = refusals.map(kindOf)
  const [kind = NOT_TAKEN] = KINDS.find(([one]) => kinds.includes(one)) ?? []
  if (!('problem' in kind)) return kind
  return { ...kind, detail: detailOf(refusals[kinds.indexOf(kind)]) } as Refusal
}

function kindOf(error: unknown): Kind {
  if (error instanceof TimeoutError || error instanceof HttpRequestError) return UNREACHABLE
  const words = wordsOf(error)
  return KINDS.find(([, pattern]) => pattern?.test(words))?.[0] ?? NOT_TAKEN
}

/** A node's own message, without viem's text around it, which quotes the request. */
function wordsOf(error: unknown): string {
  if (error instanceof BaseError) return `${error.details} ${error.shortMessage}`
  return error instanceof Error ? error.message : String(error)
}

function detailOf(error: unknown): string {
  const words = error instanceof BaseError ? error.details || error.shortMessage : wordsOf(error)
  return hideUrls(words.split('\n')[0] ?? '').slice(0, 200)
}
