import { sql } from 'kysely'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import { estimateGasPrice } from '../../../chain/transactions/estimateGasPrice.ts'
import { findTransaction } from '../../../chain/transactions/findTransaction.ts'
import { reopenTransaction } from '../../../chain/transactions/requestAgain.ts'
import { requestTransaction } from '../../../chain/transactions/requestTransaction.ts'
import { ADVISORY_LOCK_CLASSES } from '../../../store/database/advisoryLocks.ts'
import { asBytes } from '../../../store/database/columnSql.ts'
import type { Db } from '../../../store/database/openDatabase.ts'
import { countForClient, noteSpending, requireBudget } from './sponsorBudget.ts'
import {
  endedWithoutEffect,
  isUnwatched,
  type Requester,
  SponsorError,
  type SponsoredKind,
  type Sponsorship,
} from './sponsorContext.ts'
import { requireGasQuota } from './sponsoredGasQuota.ts'

/** A transaction that the relayer would pay for. */
type ToSponsor = {
  kind: SponsoredKind
  /** Identifies the effect, which happens once: a Safe's address, or the hash of its transaction. */
  effect: Hex
  safeAddress: Hex
  to: Hex
  data: Hex
  gas: bigint
  /** The Safe that it is for; see `requestTransaction`. */
  payer?: string
  /** Only for a relayed call. */
  relay?: { nonce: bigint; hash: Hex }
}

/**
 * Requests a transaction at the relayer's cost, once, if budgets allow. Reopens one that failed before.
 *
 * @returns its id in `app.transaction`
 * @throws SponsorError `RELAY_BUDGET_SPENT`, `FEE_ALLOWANCE_SPENT`, `SAFE_BUSY`, `SAFE_NOT_PAID`, `PAYMENT_UNCONFIRMED`
 */
export async function sponsorTransaction(
  sponsorship: Sponsorship,
  { client }: Requester,
  requested: ToSponsor,
): Promise<number> {
  const { db, chainId, limits } = sponsorship
  await noteSpending(sponsorship)
  const [gasPrice, l1Fee] = await Promise.all([
    // The base fee may double until it is first sent.
    estimateGasPrice(sponsorship, 2n),
    sponsorship.dataFees.of(requested),
  ])
  const cost = requested.gas * gasPrice + l1Fee
  return db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${ADVISORY_LOCK_CLASSES.sponsoring}, hashtext(${String(chainId)}))`.execute(
      transaction,
    )
    const { kind, effect, safeAddress } = requested
    // Another caller has just requested the same.
    const known = await findTransaction(transaction, { kind, chainId, effect })
    if (known && !endedWithoutEffect(known) && !isUnwatched(known, sponsorship)) return known.id
    await requireIdle(transaction, chainId, safeAddress)
    const spending = { chainId, safeAddress, gas: requested.gas, isAsked: client !== null }
    await requireGasQuota(transaction, spending, limits)
    await requireBudget(transaction, { chainId, safeAddress, cost }, limits)
    if (client !== null) await countForClient(transaction, client, limits)
    return write(transaction, sponsorship, requested, cost)
  })
}

/** If another transaction of the Safe is still pending, one of the two would fail. */
async function requireIdle(db: Db, chainId: number, safeAddress: Hex): Promise<void> {
  const { rows } = await sql`
    select from app.sponsored_transaction s join app.transaction t on t.id = s.transaction_id
    where s.chain_id = ${chainId}::bigint and s.safe_address = ${safeAddress}
      and t.state in ('chosen', 'signed', 'sent') limit 1`.execute(db)
  if (rows.length === 0) return
  throw new SponsorError('SAFE_BUSY', 'another transaction of this Safe is pending: wait for it')
}

async function write(
  db: Db,
  { chainId, account }: Sponsorship,
  { kind, effect, safeAddress, to, data, gas, payer, relay }: ToSponsor,
  cost: bigint,
): Promise<number> {
  // A row that ended may describe another call: it is of an earlier gas account, or was tampered with.
  const call = { account, to, data, gasLimit: gas }
  const key = { kind, chainId, effect }
  const requested = await requestTransaction(db, { ...key, ...call, ...(payer && { payer }) })
  const { id } = requested
  if (!requested.isNew) await reopenTransaction(db, requested, call)
  await sql`
    insert into app.sponsored_transaction as known
      (transaction_id, kind, chain_id, safe_address, safe_nonce, safe_tx_hash, reserved_wei)
    values (${id}, ${kind}, ${chainId}::bigint, ${safeAddress},
      ${relay ? String(relay.nonce) : null}::numeric, ${relay ? asBytes(relay.hash) : null},
      ${String(cost)}::numeric)
    on conflict (transaction_id) do update
      set earlier_wei = known.earlier_wei + coalesce(known.spent_wei, known.reserved_wei),
        reserved_wei = excluded.reserved_wei, spent_wei = null,
        requested_at = clock_timestamp()`.execute(db)
  return id
}
