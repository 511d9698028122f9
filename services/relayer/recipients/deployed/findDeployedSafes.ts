import { sql } from 'kysely'
import { numberToHex } from 'viem'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { RpcAnswer } from '../../../chain/rpcPool/provider.ts'
import type { RpcPool, SendOptions } from '../../../chain/rpcPool/rpcPool.ts'
import type { Db } from '../../../store/database/openDatabase.ts'

/**
 * Checks at the head whether Safes are deployed, in one exchange with a node.
 *
 * @returns for each Safe whether it is deployed; undefined if the node had no answer
 * @throws RpcError when no node answers in time
 */
export async function findDeployedSafes(
  pool: RpcPool,
  safes: readonly Hex[],
  totalTimeoutMs: number,
): Promise<(boolean | undefined)[]> {
  const requests = safes.map((safe) => codeRequest(safe, 'latest'))
  const { answers } = await pool.send(requests, optionsOf(totalTimeoutMs))
  return safes.map((_, position) => isCode(answers[position]))
}

/** A chain, and how many of its providers' operators must agree. */
type SettledChain = {
  pool: RpcPool
  /** Confirmations after which a block's contents are settled. */
  confirmations: number
  agreeing: number
}

/**
 * Finds the Safes whose deployment has `confirmations`, according to as many operators as a settlement needs. Providers
 * that lack the block's state or don't answer don't count.
 */
export async function findSettledDeployments(
  { pool, confirmations, agreeing }: SettledChain,
  safes: readonly Hex[],
  totalTimeoutMs: number,
): Promise<Hex[]> {
  if (safes.length === 0) return []
  const found = await Promise.all(
    pool.providers.map(async (provider) => {
      const others = pool.providers.filter((one) => one !== provider)
      const options = { ...optionsOf(totalTimeoutMs), exclude: new Set(others) }
      const settled = await findOnProvider(pool, safes, confirmations, options).catch(() => NONE)
      return { operator: provider.operator, settled }
    }),
  )
  return safes.filter((safe) => {
    const confirming = found.filter(({ settled }) => settled.has(safe))
    return new Set(confirming.map(({ operator }) => operator)).size >= agreeing
  })
}

const NONE: ReadonlySet<Hex> = new Set()

function optionsOf(totalTimeoutMs: number): SendOptions {
  return { totalTimeoutMs, timeoutMs: totalTimeoutMs, once: true }
}

async function findOnProvider(
  pool: RpcPool,
  safes: readonly Hex[],
  confirmations: number,
  options: SendOptions,
): Promise<ReadonlySet<Hex>> {
  const { answers } = await pool.send([{ method: 'eth_blockNumber', params: [] }], options)
  const block = blockBelowHead(answers[0], confirmations)
  if (block === null) return NONE
  const requests = safes.map((safe) => codeRequest(safe, numberToHex(block)))
  const { answers: codes } = await pool.send(requests, options)
  return new Set(safes.filter((_, position) => isCode(codes[position])))
}

function codeRequest(safe: Hex, block: string) {
  return { method: 'eth_getCode', params: [safe, block] }
}

function blockBelowHead(head: RpcAnswer | undefined, confirmations: number): number | null {
  if (head === undefined || 'error' in head) return null
  const block = Number(head.result) - confirmations
  return block >= 0 ? block : null
}

/** Whether an answer shows code; undefined if it isn't bytes. */
function isCode(answer: RpcAnswer | undefined): boolean | undefined {
  if (answer === undefined || 'error' in answer) return undefined
  const { result } = answer
  return typeof result === 'string' && result.startsWith('0x') ? result !== '0x' : undefined
}

/**
 * Records that Safes are deployed.
 *
 * @param isForGood whether their deployment is settled
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
