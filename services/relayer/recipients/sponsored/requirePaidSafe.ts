import { sql } from 'kysely'
import type { PublicClient } from 'viem'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import { readTokenBalance } from '../../../chain/tokens/readTokenBalance.ts'
import { findLowerMedian, findUpperMedian } from '../../../chain/transactions/medianAndMajority.ts'
import type { Db } from '../../../store/database/openDatabase.ts'
import { SponsorError, type Sponsorship } from './sponsorContext.ts'

/** Full nodes keep the state of 128 blocks; spending gas needs no deeper check. */
const DEEPEST = 100

/** A node's possible reports about a Safe, the least first. */
const PAID = { never: 0, lately: 1, long: 2 }

/**
 * Requires that a Safe holds a listed token, and did so already the configured number of confirmations ago: the relayer
 * pays nothing for an unpaid Safe. If two nodes differ, it waits.
 *
 * @throws SponsorError `SAFE_NOT_PAID`, `PAYMENT_UNCONFIRMED`; RPC errors
 */
export async function requirePaidSafe(
  sponsorship: Pick<Sponsorship, 'db' | 'nodes' | 'chainId' | 'tokens' | 'confirmations'>,
  safeAddress: Hex,
): Promise<void> {
  const { db, nodes, chainId, confirmations } = sponsorship
  const tokens = new Set([...sponsorship.tokens, ...(await bridgeTokens(db, chainId))])
  const holdsAt = async (client: Node, blockNumber: bigint) => {
    const balances = await Promise.all(
      [...tokens].map((token) => readTokenBalance(client, token, safeAddress, blockNumber)),
    )
    return balances.some((balance) => balance > 0n)
  }
  const paidAt = async (client: Node) => {
    const head = await client.getBlockNumber()
    const settled = head - BigInt(Math.min(confirmations, DEEPEST))
    if (settled >= 0n && (await holdsAt(client, settled))) return PAID.long
    return (await holdsAt(client, head)) ? PAID.lately : PAID.never
  }
  const said = await nodes.queryAll(paidAt, String)
  if (findLowerMedian(said) === PAID.long) return
  if (findUpperMedian(said) !== PAID.never) {
    const words = `the Safe was paid less than ${confirmations} blocks ago: try again in a moment`
    throw new SponsorError('PAYMENT_UNCONFIRMED', words)
  }
  const words =
    'the Safe holds no listed token, and the relayer pays only for delivered ones: send it yourself'
  throw new SponsorError('SAFE_NOT_PAID', words)
}

type Node = Pick<PublicClient, 'getBlockNumber' | 'call'>

/** Tokens listed by the chain's bridge. Lower case. */
async function bridgeTokens(db: Db, chainId: number): Promise<Hex[]> {
  const { rows } = await sql<{ token: Hex }>`
    select token from cairn.bridge_token where chain_id = ${chainId}::bigint and listed`.execute(db)
  return rows.map(({ token }) => token)
}
