import { sql } from 'kysely'
import { numberToHex } from 'viem'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { RpcAnswer } from '../../../chain/rpcPool/provider.ts'
import type { RpcPool, SendOptions } from '../../../chain/rpcPool/rpcPool.ts'
import type { Db } from '../../../store/database/database.ts'

/**
 * Looks for the code of Safes at the head, all in one exchange with a node.
 *
 * @returns of each Safe, in their order, whether it is there; undefined where the node had no answer
 * @throws RpcError when no node answers in time
 */
export async function findDeployed(
  pool: RpcPool,
  safes: readonly Hex[],
  patienceMs: number,
): Promise<(boolean | undefined)[]> {
  const asked = safes.map((safe) => codeAt(safe, 'latest'))
  const { answers } = await pool.send(asked, optionsOf(patienceMs))
  return safes.map((_, position) => isCode(answers[position]))
}

/** A chain, and how many providers must agree. */
type Settling = {
  pool: RpcPool
  /** Blocks on top of one that make what it holds count as settled. */
  confirmations: number
  /** How many of the providers must say that a Safe was there so many blocks ago. */
  agreeing: number
}

/**
 * Which Safes were on their chain already so many blocks ago, confirmed by as many providers as a
 * settlement needs. One that has no state of that block, or doesn't answer, doesn't count.
 */
export async function checkSettled(
  { pool, confirmations, agreeing }: Settling,
  safes: readonly Hex[],
  patienceMs: number,
): Promise<Hex[]> {
  if (safes.length === 0) return []
  const said = await Promise.all(
    pool.providers.map(async (provider) => {
      const others = pool.providers.filter((one) => one !== provider)
      const options = { ...optionsOf(patienceMs), exclude: new Set(others) }
      return seenBefore(pool, safes, confirmations, options).catch(() => NONE)
    }),
  )
  return safes.filter((safe) => said.filter((seen) => seen.has(safe)).length >= agreeing)
}

const NONE: ReadonlySet<Hex> = new Set()

function optionsOf(patienceMs: number): SendOptions {
  return { patienceMs, timeoutMs: patienceMs, once: true }
}

async function seenBefore(
  pool: RpcPool,
  safes: readonly Hex[],
  confirmations: number,
  options: SendOptions,
): Promise<ReadonlySet<Hex>> {
  const { answers } = await pool.send([{ method: 'eth_blockNumber', params: [] }], options)
  const block = depthBelow(answers[0], confirmations)
  if (block === null) return NONE
  const asked = safes.map((safe) => codeAt(safe, numberToHex(block)))
  const sent = await pool.send(asked, options)
  return new Set(safes.filter((_, position) => isCode(sent.answers[position])))
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

/**
 * Records that the code of Safes was just seen on their chain.
 *
 * @param isForGood whether it was there deep enough to stay
 */
export async function markDeployed(
  db: Db,
  chainId: number,
  safes: readonly Hex[],
  isForGood: boolean,
): Promise<void> {
  if (safes.length === 0) return
  await sql`update app.stealth_entry
    set deployed_seen_at = clock_timestamp(), deployed_for_good = deployed_for_good or ${isForGood}
    where chain_id = ${chainId}::bigint and safe_address = any(${safes}::text[])`.execute(db)
}
