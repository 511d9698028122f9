import { BaseError, decodeErrorResult, type Hex } from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { ChainView, SenderContext } from './sender.ts'
import type { Transaction } from './transaction.ts'

/** What a call would do if it were mined now. */
export type Simulation =
  /** It succeeds; gas that it takes, with some room. */
  | { outcome: 'succeeds'; gas: bigint }
  /** It reverts; `error` is the contract error's name, or `REVERTED`. */
  | { outcome: 'reverts'; error: string; args: readonly unknown[]; detail: string }

/** Room above an estimate: what is true at the head may cost more a block later. */
const GAS_ROOM_PERCENT = 125n

/** Like `simulateCall`, where a transaction that has had its day counts as one that reverts. */
export async function tryTransaction(
  context: Pick<SenderContext, 'client' | 'account' | 'isStale'>,
  transaction: Transaction,
  view: Pick<ChainView, 'blockGas'>,
): Promise<Simulation> {
  if (!(await context.isStale(transaction))) return simulateCall(context, transaction, view)
  return { outcome: 'reverts', error: 'TOO_LATE', args: [], detail: 'it has had its day' }
}

/**
 * Tries a call at the chain's head without paying for it.
 *
 * @throws whatever keeps the chain's nodes from answering
 */
export async function simulateCall(
  { client, account }: Pick<SenderContext, 'client' | 'account'>,
  { to, data, value, gasLimit }: Pick<Transaction, 'to' | 'data' | 'value' | 'gasLimit'>,
  { blockGas }: Pick<ChainView, 'blockGas'>,
): Promise<Simulation> {
  const call = { from: account, to, data, value: `0x${value.toString(16)}` as Hex }
  try {
    if (gasLimit !== null) {
      const gas = `0x${gasLimit.toString(16)}` as Hex
      await client.request({ method: 'eth_call', params: [{ ...call, gas }, 'latest'] })
      return { outcome: 'succeeds', gas: gasLimit }
    }
    const estimate = await client.request({ method: 'eth_estimateGas', params: [call] })
    const gas = (BigInt(estimate) * GAS_ROOM_PERCENT) / 100n
    // No block takes more than it holds, however near to that the estimate came.
    return { outcome: 'succeeds', gas: gas < blockGas ? gas : blockGas }
  } catch (error) {
    const reverted = revertIn(error)
    if (!reverted) throw error
    return reverted
  }
}

/** The revert that an error tells of; null when it tells of something else, such as a node that is away. */
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

function causeWithRevert(error: unknown): { data: Hex | null; message: string } | null {
  if (!(error instanceof BaseError)) return null
  const found = error.walk((one) => {
    const { code, data } = one as { code?: unknown; data?: unknown }
    return code === 3 || isBytes(data) || /revert/i.test((one as Error).message ?? '')
  }) as (Error & { data?: unknown; details?: string }) | null
  if (!found) return null
  return {
    data: isBytes(found.data) ? found.data : null,
    message: (found.details ?? found.message).split('\n')[0]?.slice(0, 200) ?? 'reverted',
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
