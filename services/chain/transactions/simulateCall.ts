import {
  type Address,
  BaseError,
  decodeErrorResult,
  type Hex,
  numberToHex,
  type PublicClient,
} from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { hideUrls } from '../../log/hideUrls.ts'
import { agreedSimulation } from './agreedSimulation.ts'
import { type Fees, firstFees } from './fees.ts'
import type { ChainView, SenderContext } from './senderContext.ts'
import type { Transaction } from './transaction.ts'

/** What a call would do if it were mined now. */
export type Simulation =
  /** It succeeds; gas that it takes, with some room. */
  | { outcome: 'succeeds'; gas: bigint }
  /** It reverts; `error` is the contract error's name, or `REVERTED`. */
  | { outcome: 'reverts'; error: string; args: readonly unknown[]; detail: string }
  /** The nodes answer, but not what would become of it; `detail` is what they say instead. */
  | { outcome: 'unknown'; detail: string }

/** Room above an estimate: what is true at the head may cost more a block later. */
const GAS_ROOM_PERCENT = 125n

/** Like `simulateCall`, except that a stale transaction counts as one that reverts. */
export async function tryTransaction(
  context: Simulating & Pick<SenderContext, 'isStale'>,
  transaction: Transaction,
  view: SeenChain,
): Promise<Simulation> {
  if (!(await context.isStale(transaction))) return simulateCall(context, transaction, view)
  return { outcome: 'reverts', error: 'TOO_LATE', args: [], detail: 'it is no longer desired' }
}

/**
 * Tries a call at the chain's head without paying for it, at every node.
 *
 * @throws whatever keeps the chain's nodes from answering anything
 */
export async function simulateCall(
  { nodes, account, maxFeePerGas, leastGas }: Simulating,
  transaction: Transaction,
  { blockGas, balance, market }: SeenChain,
): Promise<Simulation> {
  // At the highest base fee that a node names: a node refuses to try what pays less.
  const { baseFeePerGas, baseFeeAtMost = baseFeePerGas } = market
  const fees = firstFees({ ...market, baseFeePerGas: baseFeeAtMost }, maxFeePerGas)
  const { gasLimit, value } = transaction
  const isPayable =
    fees.maxFeePerGas >= baseFeeAtMost &&
    gasLimit !== null &&
    gasLimit * fees.maxFeePerGas + value <= balance
  const call = callOf(account, transaction, isPayable ? fees : null)
  const simulations = await nodes.queryAll(
    (client) => simulateAt(client, call, gasLimit),
    ({ outcome }) => outcome,
  )
  const { maxFeePerGas: price } = firstFees(market, maxFeePerGas)
  const payable = price === 0n ? blockGas : (balance - value) / price
  const agreed = agreedSimulation(simulations, { blockGas, payable })
  if (agreed.outcome !== 'succeeds') return agreed
  if (gasLimit !== null) return { ...agreed, gas: gasLimit }
  const least = leastGas(transaction)
  return { ...agreed, gas: agreed.gas > least || least > blockGas ? agreed.gas : least }
}

type Simulating = Pick<SenderContext, 'nodes' | 'account' | 'maxFeePerGas' | 'leastGas'>
type SeenChain = Pick<ChainView, 'blockGas' | 'balance' | 'market'>

/**
 * A call as nodes take it; one with a gas limit has the price of a real one, since a call can be written to fail only
 * when it is simulated at no price.
 */
function callOf(from: Address, { to, data, value, gasLimit }: Transaction, fees: Fees | null) {
  return {
    ...{ from, to, data, value: numberToHex(value) },
    ...(gasLimit !== null && { gas: numberToHex(gasLimit) }),
    ...(fees && onWire(fees)),
  }
}

/** @throws whatever keeps the node from answering anything */
async function simulateAt(
  client: Pick<PublicClient, 'request' | 'getBlockNumber'>,
  call: ReturnType<typeof callOf>,
  gasLimit: bigint | null,
): Promise<Simulation> {
  try {
    if (gasLimit !== null) {
      await client.request({ method: 'eth_call', params: [call, 'latest'] })
      return { outcome: 'succeeds', gas: gasLimit }
    }
    const estimate = BigInt(await client.request({ method: 'eth_estimateGas', params: [call] }))
    return { outcome: 'succeeds', gas: (estimate * GAS_ROOM_PERCENT) / 100n }
  } catch (error) {
    const reverted = revertIn(error)
    if (reverted) return reverted
    // One call that nodes can't handle must not look like unreachable nodes.
    await client.getBlockNumber()
    return { outcome: 'unknown', detail: detailOf(error) }
  }
}

function onWire({ maxFeePerGas, maxPriorityFeePerGas }: Fees) {
  return {
    maxFeePerGas: numberToHex(maxFeePerGas),
    maxPriorityFeePerGas: numberToHex(maxPriorityFeePerGas),
  }
}

/**
 * What nodes report of a call that ends without effect: it reverts, runs out of gas, jumps to an
 * invalid place or the like. Null when an error means something else, such as an unreachable node.
 */
export function revertIn(error: unknown): Extract<Simulation, { outcome: 'reverts' }> | null {
  const cause = causeWithRevert(error)
  if (cause === null) return null
  const named = nameOf(cause.data)
  return {
    outcome: 'reverts',
    error: named?.error ?? 'REVERTED',
    args: named?.args ?? [],
    detail: named ? `${named.error}(${named.args.join(', ')})` : cause.message,
  }
}

/** How the EVM ends a call, in the words of Geth, Nethermind, Erigon, Reth, Besu and anvil. */
const HALTS =
  /revert|out ?of ?gas|gas required exceeds|insufficient[ _]gas\b|(invalid|bad)[ _]?jump|(invalid|bad)[ _]?(fe ?)?(opcode|instruction|operation)|opcode ?(not ?found|.* not defined)|stack[ _]?(underflow|overflow|limit)|too_many_stack_items|out ?of ?offset|return data out of bounds|write protection|static[ _]?call|state ?change during static|call ?too ?deep|max call depth/i

/** A node's own words where viem has them: around these it quotes the request. */
function wordsOf(error: unknown): string {
  const { details, message = '' } = error as { details?: string; message?: string }
  return details || message.split('\n')[0] || ''
}

function detailOf(error: unknown): string {
  return hideUrls(wordsOf(error).split('\n')[0] ?? '').slice(0, 200)
}

function causeWithRevert(error: unknown): { data: Hex | null; message: string } | null {
  if (!(error instanceof BaseError)) return null
  const found = error.walk((one) => {
    const { code, data } = one as { code?: unknown; data?: unknown }
    return code === 3 || isBytes(data) || HALTS.test(wordsOf(one))
  }) as (Error & { data?: unknown }) | null
  if (!found) return null
  return {
    data: isBytes(found.data) ? found.data : null,
    message: detailOf(found) || 'reverted',
  }
}

function isBytes(data: unknown): data is Hex {
  return typeof data === 'string' && /^0x([0-9a-fA-F]{2})*$/.test(data)
}

/** The bridge's own errors, and those of OpenZeppelin's contracts it is made of. */
function nameOf(data: Hex | null): { error: string; args: readonly unknown[] } | null {
  if (data === null || data === '0x') return null
  try {
    const { errorName, args = [] } = decodeErrorResult({ abi: bridgeIntentV2Abi, data })
    return { error: errorName, args: args as readonly unknown[] }
  } catch {
    return null
  }
}
