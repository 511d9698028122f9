import { numberToHex } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { RpcAnswer } from '../../chain/rpcPool/provider.ts'
import type { RpcPool } from '../../chain/rpcPool/rpcPool.ts'

/** Whether a Safe's code is on its chain: not, at the head, or deep enough to stay. */
export type Presence = 'absent' | 'present' | 'for good'

/**
 * Looks for Safes, all in one exchange with a node; for those that are there, in another, whether they were
 * already so many blocks ago. A node that has no state of that block leaves them `present`.
 *
 * @param confirmations blocks on top of one that makes what it holds count as settled
 * @returns of each Safe, in their order; undefined where the node had no answer
 * @throws RpcError when no node answers in time
 */
export async function askPresence(
  pool: RpcPool,
  safes: readonly Hex[],
  confirmations: number,
  patienceMs: number,
): Promise<(Presence | undefined)[]> {
  const options = { patienceMs, timeoutMs: patienceMs, once: true }
  const { answers } = await pool.send(
    [{ method: 'eth_blockNumber', params: [] }, ...safes.map((safe) => codeAt(safe, 'latest'))],
    options,
  )
  const [head, ...codes] = answers
  const now = safes.map((_, position) => isCode(codes[position]))
  const there = safes.filter((_, position) => now[position])
  const settled = await seenBefore(pool, there, depthBelow(head, confirmations), options)
  return safes.map((safe, position) => {
    if (now[position] === undefined) return undefined
    if (!now[position]) return 'absent'
    return settled.has(safe) ? 'for good' : 'present'
  })
}

type Options = { patienceMs: number; timeoutMs: number; once: boolean }

async function seenBefore(
  pool: RpcPool,
  safes: readonly Hex[],
  block: number | null,
  options: Options,
): Promise<ReadonlySet<Hex>> {
  if (safes.length === 0 || block === null) return new Set()
  const asked = safes.map((safe) => codeAt(safe, numberToHex(block)))
  const sent = await pool.send(asked, options).catch(() => null)
  return new Set(safes.filter((_, position) => isCode(sent?.answers[position])))
}

function codeAt(safe: Hex, block: string) {
  return { method: 'eth_getCode', params: [safe, block] }
}

function depthBelow(head: RpcAnswer | undefined, confirmations: number): number | null {
  if (head === undefined || 'error' in head) return null
  const block = Number(head.result) - confirmations
  return block >= 0 ? block : null
}

/** Undefined for what is no code at all. */
function isCode(answer: RpcAnswer | undefined): boolean | undefined {
  if (answer === undefined || 'error' in answer) return undefined
  const { result } = answer
  return typeof result === 'string' && result.startsWith('0x') ? result !== '0x' : undefined
}
