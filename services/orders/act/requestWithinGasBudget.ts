import { sql } from 'kysely'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { hasFailed, type Transaction } from '../../chain/transactions/transaction.ts'
import { ADVISORY_LOCK_CLASSES } from '../../store/database/advisoryLocks.ts'
import type { Db } from '../../store/database/database.ts'
import type { Followed } from '../follow/followVault.ts'
import type { OrdersContext, ServedChain } from '../ordersContext.ts'
import { beyondRecord, decideGas, type GasRefusal, type GasRequest } from './decideGas.ts'
import { type GasAccount, type GasOfAll, NO_GAS, withGas, withMoreGas } from './gasAccount.ts'
import { gasUsedOnChain } from './gasUsedOnChain.ts'
import { type EffectRequest, findEffect, requestEffect } from './requestEffect.ts'
import { requestedGas } from './requestedGas.ts'

/** A call for the service to pay, the owner of its order, and its gas. */
type UnpaidCall = Omit<EffectRequest, 'payer'> & { payer: Hex; gasRequest: GasRequest }

/** What the service needs in order to pay for gas. */
type Payer = Pick<OrdersContext, 'db' | 'account' | 'settings'>

/**
 * Requests a call if the service pays for it; otherwise returns the reason. An owner who orders and cancels pays no
 * gas and gets every token back: without a limit per owner and one over all owners, that could drain the service's
 * account.
 *
 * Concurrent requests, from any instance on this database, all count: those of one owner are serialized, and so are
 * all that no record covers.
 */
export function requestWithinGasBudget(
  context: OrdersContext,
  chain: ServedChain,
  { gasRequest, ...request }: UnpaidCall,
): Promise<Transaction | GasRefusal> {
  const { effect, payer } = request
  return context.db.transaction().execute(async (db) => {
    const within = { ...context, db }
    await lock(db, 'ownersGas', payer)
    const known = await findEffect(within, chain, effect)
    // One that failed is opened again, and paid for again. One that a reorg took back was paid for.
    if (known === null || hasFailed(known)) {
      const refusal = await refusalOfGas(within, chain, payer, gasRequest)
      if (refusal !== null) return refusal
    }
    return requestEffect(within, chain, request)
  })
}

async function refusalOfGas(
  payer: Payer,
  chain: ServedChain,
  owner: Hex,
  gasRequest: GasRequest,
): Promise<GasRefusal | null> {
  const { settings } = payer
  const followed = chain.follower.latest()
  const account = await accountOf(payer, chain, followed, owner)
  const alone = decideGas(gasRequest, account, 0, settings)
  // What its record covers doesn't depend on other owners.
  if (alone !== null || beyondRecord(gasRequest, account) === 0) return alone
  const shown = followed === null ? null : gasUsedOnChain(payer, followed)
  // The chain alone shows that there is no room: don't wait for the lock.
  if (shown !== null && decideGas(gasRequest, account, shown.uncovered, settings) !== null) {
    return 'GAS_BUDGET_SPENT'
  }
  await lock(payer.db, 'gasWithoutFee', String(chain.chainId))
  const all = await gasOfAll(payer, chain, followed)
  return decideGas(gasRequest, all.accountOf(owner), all.uncovered, settings)
}

async function lock(db: Db, kind: 'ownersGas' | 'gasWithoutFee', of: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${ADVISORY_LOCK_CLASSES[kind]}, hashtext(${of}))`.execute(
    db,
  )
}

async function accountOf(
  payer: Payer,
  chain: ServedChain,
  followed: Followed | null,
  owner: Hex,
): Promise<GasAccount> {
  const shown = followed === null ? NO_GAS : gasUsedOnChain(payer, followed).accountOf(owner)
  const requests = await requestedGas(payer, chain, followed?.book ?? null, owner)
  return requests.reduce((account, { gas }) => withGas(account, gas), shown)
}

/** All owners' gas on a chain: what the chain shows plus what was requested. */
async function gasOfAll(
  payer: Payer,
  chain: ServedChain,
  followed: Followed | null,
): Promise<GasOfAll> {
  const requests = await requestedGas(payer, chain, followed?.book ?? null)
  const nothing = { accountOf: () => NO_GAS, uncovered: 0 }
  return withMoreGas(followed === null ? nothing : gasUsedOnChain(payer, followed), requests)
}
