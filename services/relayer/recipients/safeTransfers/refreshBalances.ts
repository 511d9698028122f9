import type pg from 'pg'
import { encodeFunctionData, erc20Abi, type Hex, hexToBigInt, numberToHex, size, slice } from 'viem'
import type { RpcAnswer } from '../../../chain/rpcPool/provider.ts'
import { RpcError } from '../../../chain/rpcPool/rpcError.ts'
import { askSeveralNodes } from './askSeveralNodes.ts'
import type { Block, TransferFollowerContext } from './transferFollowerContext.ts'

/** Listed tokens per round, and per exchange. */
const LISTED_A_ROUND = 500
const AT_ONCE = 50
/** Other tokens per round, one by one: none of them may affect the others. */
const UNLISTED_A_ROUND = 30
/** Gas limit of a balance read. */
const GAS = numberToHex(500_000)
/** Milliseconds for an unlisted token. */
const SHORT_TIMEOUT_MS = 2_000

type Stale = { safe: Hex; token: Hex }

/**
 * Reads the Safes' token balances at a block if they may have changed since the last time. A listed token that doesn't
 * answer is retried in the next round, after others; an unlisted one that returns nothing or zero is dropped: its event
 * was false, or the balance has left. Where nodes disagree, the old balance stays and is asked for again: a false zero
 * would hide a payment until the next transfer.
 *
 * @returns hosts of nodes that disagree, so that some balances aren't known
 */
export async function refreshBalances(
  context: TransferFollowerContext,
  at: Block,
): Promise<string[]> {
  const { db, chain } = context
  const disagreeing = new Set<string>()
  await markOld(context, at)
  const listed = await selectStale(db, chain.chainId, true, LISTED_A_ROUND)
  for (let from = 0; from < listed.length; from += AT_ONCE) {
    const some = listed.slice(from, from + AT_ONCE)
    const found = await askFor(context, some, at, context.settings.totalTimeoutMs)
    for (const node of found.disagreeing) disagreeing.add(node)
    await saveAnswers(context, some, found.values, at)
  }
  const unlisted = await selectStale(db, chain.chainId, false, UNLISTED_A_ROUND)
  for (const one of unlisted) {
    const found = await askAlone(context, one, at)
    if (found !== null) await saveAnswers(context, [one], found.values, at)
  }
  return [...disagreeing]
}

/** Some tokens change balances without an event: interest, wrapping. */
async function markOld({ db, chain, settings }: TransferFollowerContext, at: Block): Promise<void> {
  await db.query(
    `update app.safe_balance set is_stale = true
     where chain_id = $1 and not is_stale and balance > 0 and asked_time < $2`,
    [chain.chainId, at.timestamp - settings.refreshAfter],
  )
}

async function selectStale(
  db: pg.ClientBase,
  chainId: number,
  isListed: boolean,
  limit: number,
): Promise<Stale[]> {
  const { rows } = await db.query(
    `select safe_address as safe, token from app.safe_balance
     where chain_id = $1 and is_stale and is_listed = $2
     order by asked_block nulls first, last_block limit $3`,
    [chainId, isListed, limit],
  )
  return rows
}

function request({ safe, token }: Stale, at: Block) {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [safe] })
  return { method: 'eth_call', params: [{ to: token, data, gas: GAS }, { blockHash: at.hash }] }
}

function askFor(
  { pool }: TransferFollowerContext,
  some: readonly Stale[],
  at: Block,
  totalTimeoutMs: number,
) {
  return askSeveralNodes(
    pool,
    some.map((one) => request(one, at)),
    totalTimeoutMs,
    balanceIn,
  )
}

/** Null when it is unclear whether the token or the node failed. */
async function askAlone(context: TransferFollowerContext, one: Stale, at: Block) {
  try {
    return await askFor(context, [one], at, SHORT_TIMEOUT_MS)
  } catch (error) {
    if (error instanceof RpcError) return null
    throw error
  }
}

async function saveAnswers(
  { db, chain }: TransferFollowerContext,
  asked: readonly Stale[],
  balances: readonly (bigint | null | undefined)[],
  at: Block,
): Promise<void> {
  const known = asked.flatMap(({ safe, token }, position) => {
    const balance = balances[position] ?? null
    return balance === null ? [] : [{ safe, token, balance }]
  })
  const columns = [known.map(({ safe }) => safe), known.map(({ token }) => token)]
  await db.query(
    `update app.safe_balance b set balance = a.balance, asked_block = $5, asked_time = $6,
       is_stale = false
     from unnest($2::text[], $3::text[], $4::numeric[]) as a (safe, token, balance)
     where b.chain_id = $1 and b.safe_address = a.safe and b.token = a.token`,
    [
      chain.chainId,
      ...columns,
      known.map(({ balance }) => String(balance)),
      at.number,
      at.timestamp,
    ],
  )
  const unknown = asked.filter((_, position) => (balances[position] ?? null) === null)
  // Asked for again, but after others: a broken token in many Safes must not hold up the rest.
  if (unknown.length > 0)
    await db.query(
      `update app.safe_balance b set asked_block = $2
     from unnest($3::text[], $4::text[]) as a (safe, token)
     where b.chain_id = $1 and b.safe_address = a.safe and b.token = a.token`,
      [
        chain.chainId,
        at.number,
        unknown.map(({ safe }) => safe),
        unknown.map(({ token }) => token),
      ],
    )
  const empty = asked.filter((_, position) => {
    const balance = balances[position]
    return balance === null || balance === 0n
  })
  await db.query(
    `delete from app.safe_balance b using unnest($2::text[], $3::text[]) as a (safe, token)
     where b.chain_id = $1 and b.safe_address = a.safe and b.token = a.token and not b.is_listed`,
    [chain.chainId, empty.map(({ safe }) => safe), empty.map(({ token }) => token)],
  )
}

/** Null for an invalid balance: a revert, nothing, or less than a word. */
function balanceIn(answer: RpcAnswer | undefined): bigint | null {
  if (answer === undefined || 'error' in answer) return null
  const data = answer.result
  if (typeof data !== 'string' || !data.startsWith('0x') || size(data as Hex) < 32) return null
  return hexToBigInt(slice(data as Hex, 0, 32))
}
