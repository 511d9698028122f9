import { sql } from 'kysely'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { hasFailed, type Transaction } from '../../chain/transactions/transactionRow.ts'
import { ADVISORY_LOCK_CLASSES } from '../../store/database/advisoryLocks.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import {
  findVaultCall,
  requestVaultCall,
  type VaultCallRequest,
} from '../execution/requestVaultCall.ts'
import type { VaultSnapshot } from '../follow/followVault.ts'
import type { OrdersContext, ServedChain } from '../ordersContext.ts'
import {
  decideGasPayment,
  type GasRefusal,
  type GasRequest,
  uncoveredGasOf,
} from './decideGasPayment.ts'
import {
  calculateGasPaidPerOwner,
  type GasAccount,
  type GasOfAll,
  NO_GAS,
  withAddedGas,
  withGas,
} from './ownerGasAccounts.ts'
import { readRequestedGas } from './readRequestedGas.ts'

/** A call for the service to pay, the owner of its order, and its gas. */
type UnpaidCall = Omit<VaultCallRequest, 'payer'> & { payer: Hex; gasRequest: GasRequest }

type Payer = Pick<OrdersContext, 'db' | 'account' | 'settings'>

/**
 * Requests a call if the service pays for it; otherwise returns the reason. An owner who orders and cancels pays no
 * gas and gets every token back: without a limit per owner and one over all owners, that could drain the service's
 * account.
 *
 * Advisory locks make concurrent requests of all instances on this database count: one lock per owner, and one per
 * chain for gas that no record covers.
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
    const previous = await findVaultCall(within, chain, effect)
    // A failed one is reopened and paid for again. One that a reorg removed was paid for already.
    if (previous === null || hasFailed(previous)) {
      const refusal = await refusalOfGas(within, chain, payer, gasRequest)
      if (refusal !== null) return refusal
    }
    return requestVaultCall(within, chain, request)
  })
}

async function refusalOfGas(
  payer: Payer,
  chain: ServedChain,
  owner: Hex,
  gasRequest: GasRequest,
): Promise<GasRefusal | null> {
  const { settings } = payer
  const snapshot = chain.follower.latest()
  const account = await accountOf(payer, chain, snapshot, owner)
  const ownerRefusal = decideGasPayment(gasRequest, account, 0, settings)
  // Gas that the owner's record covers doesn't depend on other owners.
  if (ownerRefusal !== null || uncoveredGasOf(gasRequest, account) === 0) return ownerRefusal
  const onChain = snapshot === null ? null : calculateGasPaidPerOwner(payer, snapshot)
  // What is on the chain exhausts the budget: don't wait for the lock.
  if (
    onChain !== null &&
    decideGasPayment(gasRequest, account, onChain.uncovered, settings) !== null
  ) {
    return 'GAS_BUDGET_SPENT'
  }
  await lock(payer.db, 'gasWithoutFee', String(chain.chainId))
  const all = await gasOfAll(payer, chain, snapshot)
  return decideGasPayment(gasRequest, all.accountOf(owner), all.uncovered, settings)
}

async function lock(db: Db, kind: 'ownersGas' | 'gasWithoutFee', of: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${ADVISORY_LOCK_CLASSES[kind]}, hashtext(${of}))`.execute(
    db,
  )
}

async function accountOf(
  payer: Payer,
  chain: ServedChain,
  snapshot: VaultSnapshot | null,
  owner: Hex,
): Promise<GasAccount> {
  const onChain =
    snapshot === null ? NO_GAS : calculateGasPaidPerOwner(payer, snapshot).accountOf(owner)
  const requests = await readRequestedGas(payer, chain, snapshot?.book ?? null, owner)
  return requests.reduce((account, { gas }) => withGas(account, gas), onChain)
}

/** All owners' gas on a chain: used on chain, and requested. */
async function gasOfAll(
  payer: Payer,
  chain: ServedChain,
  snapshot: VaultSnapshot | null,
): Promise<GasOfAll> {
  const requests = await readRequestedGas(payer, chain, snapshot?.book ?? null)
  const nothing = { accountOf: () => NO_GAS, uncovered: 0 }
  return withAddedGas(
    snapshot === null ? nothing : calculateGasPaidPerOwner(payer, snapshot),
    requests,
  )
}
