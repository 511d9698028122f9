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
import { readNodesWords } from '../readNodesWords.ts'
import { combineSimulations } from './combineSimulations.ts'
import type { ChainView, SenderContext } from './senderContext.ts'
import { calculateFirstFees, type Fees } from './transactionFees.ts'
import type { Transaction } from './transactionRow.ts'

/** What a call would do if it were mined now. */
export type Simulation =
  /** It succeeds with this gas limit, which has a margin. */
  | { outcome: 'succeeds'; gas: bigint }
  /** It reverts; `error` is the contract error's name, or `REVERTED`. */
  | { outcome: 'reverts'; error: string; args: readonly unknown[]; detail: string }
  /** The nodes answer, but can't tell; `detail` is their message. */
  | { outcome: 'unknown'; detail: string }

/** Margin on an estimate: the call may cost more a block later. */
const GAS_MARGIN_PERCENT = 125n

/** Like `simulateCall`, but a stale transaction counts as reverting. */
export async function simulateUnlessStale(
  context: Simulating & Pick<SenderContext, 'isStale'>,
  transaction: Transaction,
  view: SeenChain,
): Promise<Simulation> {
  if (!(await context.isStale(transaction))) return simulateCall(context, transaction, view)
  return { outcome: 'reverts', error: 'TOO_LATE', args: [], detail: 'it is no longer desired' }
}

/**
 * Simulates a call at the chain's head, at every node.
 *
 * @throws if no node answers
 */
export async function simulateCall(
  { nodes, account, maxFeePerGas, leastGas }: Simulating,
  transaction: Transaction,
  { blockGas, balance, market }: SeenChain,
): Promise<Simulation> {
  // At the highest base fee that a node reports, because that node refuses to simulate what pays less.
  const { baseFeePerGas, highestBaseFee = baseFeePerGas } = market
  const fees = calculateFirstFees({ ...market, baseFeePerGas: highestBaseFee }, maxFeePerGas)
  const { gasLimit, value } = transaction
  const isPayable =
    fees.maxFeePerGas >= highestBaseFee &&
    gasLimit !== null &&
    gasLimit * fees.maxFeePerGas + value <= balance
  const call = callOf(account, transaction, isPayable ? fees : null)
  const simulations = await nodes.queryAll(
    (client) => simulateAt(client, call, gasLimit),
    ({ outcome }) => outcome,
  )
  const { maxFeePerGas: price } = calculateFirstFees(market, maxFeePerGas)
  const payable = price === 0n ? blockGas : (balance - value) / price
  const agreed = combineSimulations(simulations, { blockGas, payable })
  if (agreed.outcome !== 'succeeds') return agreed
  if (gasLimit !== null) return { ...agreed, gas: gasLimit }
  const least = leastGas(transaction, payable)
  return { ...agreed, gas: agreed.gas > least || least > blockGas ? agreed.gas : least }
}

type Simulating = Pick<SenderContext, 'nodes' | 'account' | 'maxFeePerGas' | 'leastGas'>
type SeenChain = Pick<ChainView, 'blockGas' | 'balance' | 'market'>

/**
 * The call as a JSON-RPC parameter. With a gas limit it gets a real gas price, since a contract can detect a simulation at
 * price zero.
 */
function callOf(from: Address, { to, data, value, gasLimit }: Transaction, fees: Fees | null) {
  return {
    from,
    to,
    data,
    value: numberToHex(value),
    ...(gasLimit !== null && { gas: numberToHex(gasLimit) }),
    ...(fees && feeFields(fees)),
  }
}

/** @throws if the node doesn't answer */
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
    return { outcome: 'succeeds', gas: (estimate * GAS_MARGIN_PERCENT) / 100n }
  } catch (error) {
    const reverted = revertOf(error)
    if (reverted) return reverted
    // Distinguishes a call that the node can't handle from an unreachable node.
    await client.getBlockNumber()
    return { outcome: 'unknown', detail: detailOf(error) }
  }
}

function feeFields({ maxFeePerGas, maxPriorityFeePerGas }: Fees) {
  return {
    maxFeePerGas: numberToHex(maxFeePerGas),
    maxPriorityFeePerGas: numberToHex(maxPriorityFeePerGas),
  }
}

/**
 * The revert behind a node's error, including out of gas, invalid jumps and the like. Null if the error means something
 * else, such as an unreachable node.
 */
export function revertOf(error: unknown): Extract<Simulation, { outcome: 'reverts' }> | null {
  const cause = causeWithRevert(error)
  if (cause === null) return null
  const known = decodeRevert(cause.data)
  return {
    outcome: 'reverts',
    error: known?.error ?? 'REVERTED',
    args: known?.args ?? [],
    detail: known ? `${known.error}(${known.args.join(', ')})` : cause.message,
  }
}

/** Messages of Geth, Nethermind, Erigon, Reth, Besu and anvil for calls that the EVM halts. */
const HALT_MESSAGES =
  /revert|out ?of ?gas|gas required exceeds|insufficient[ _]gas\b|(invalid|bad)[ _]?jump|(invalid|bad)[ _]?(fe ?)?(opcode|instruction|operation)|opcode ?(not ?found|.* not defined)|stack[ _]?(underflow|overflow|limit)|too_many_stack_items|out ?of ?offset|return data out of bounds|write protection|static[ _]?call|state ?change during static|call ?too ?deep|max call depth/i

/** The node's message if viem has it, without viem's own text, which quotes the request. */
function messageOf(error: unknown): string {
  const { details, message = '' } = error as { details?: unknown; message?: string }
  return readNodesWords(details) || readNodesWords(message.split('\n')[0])
}

/** The first line of the node's message, without keys in URLs. */
export function detailOf(error: unknown): string {
  return hideUrls(messageOf(error).split('\n')[0] ?? '').slice(0, 200)
}

function causeWithRevert(error: unknown): { data: Hex | null; message: string } | null {
  if (!(error instanceof BaseError)) return null
  const found = error.walk((one) => {
    const { code, data } = one as { code?: unknown; data?: unknown }
    return code === 3 || isBytes(data) || HALT_MESSAGES.test(messageOf(one))
  }) as (Error & { data?: unknown }) | null
  if (!found) return null
  return {
    data: isBytes(found.data) ? found.data : null,
    message: detailOf(found) || 'reverted',
  }
}

function isBytes(data: unknown): data is Hex {
  return typeof data === 'string' && /^0x(?:[0-9a-fA-F]{2})*$/.test(data)
}

/** Decodes the bridge's errors, including those of OpenZeppelin's contracts in it. */
function decodeRevert(data: Hex | null): { error: string; args: readonly unknown[] } | null {
  if (data === null || data === '0x') return null
  try {
    const { errorName, args = [] } = decodeErrorResult({ abi: bridgeIntentV2Abi, data })
    return { error: errorName, args: args as readonly unknown[] }
  } catch {
    return null
  }
}
