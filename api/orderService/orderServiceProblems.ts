import { getAddress } from 'viem'
import { toApiOrderId } from '../../core/order/apiOrderId.ts'
import type { UnservedOrders } from '../../services/orders/follow/findUnservedOrders.ts'
import type { OrdersService } from '../../services/orders/ordersServiceTypes.ts'
import type { ChainReport } from '../../services/orders/reportChain.ts'

/** Wei below which the paying account counts as empty: a few dozen tranches at a gwei. */
const LITTLE_GAS = 10n ** 16n

/** What is wrong, and what to do about it. */
type Problem = { chain: string | null; code: string; what: string; fix: string }
type ClockProblem = Awaited<ReturnType<OrdersService['clockProblem']>>

/** Lists what is wrong with the service and on each chain. */
export async function listOrderProblems(orders: OrdersService): Promise<Problem[]> {
  const [reports, clock] = await Promise.all([orders.report(), orders.clockProblem()])
  return [
    ...ownProblems(clock),
    ...orders.unserved.map(unservedProblem),
    ...reports.flatMap(problemsOf),
  ]
}

function ownProblems(clock: ClockProblem): Problem[] {
  return clock === null
    ? []
    : [{ chain: null, code: clock.code, what: clock.cause, fix: clock.fix }]
}

function unservedProblem({ chainId, vault, openOrders, blockNumber }: UnservedOrders): Problem {
  return {
    chain: String(chainId),
    code: 'ORDERS_UNSERVED',
    what: `up to block ${blockNumber}, ${openOrders} orders of vault ${getAddress(vault)} on chain ${chainId} were open, and CHAINS no longer has it: their tranches aren’t fired, and owners can neither find nor cancel them here`,
    fix: 'put this vault back into CHAINS until its orders are over; if you removed it for good, tell the owners that closeOrder needs no service, and set open_orders to 0 in its row of orders.former_vault, which keeps its orders from being placed again in another vault',
  }
}

/** What to do about a problem that the chain's nodes didn't cause. */
const FIXES: { readonly [problem: string]: string } = {
  FEE_CAP: 'raise maxFeeGwei (or MAX_FEE_GWEI), or wait until gas costs less',
  NONCE_BLOCKED:
    'find out who has the key: another program sent a transaction with it that no block includes, and the service outbids that one automatically',
  ENCLAVE_UNREACHABLE: 'check that the enclaves of ENCLAVE_SOCKETS run',
  TRANSACTION_NOT_ALLOWED:
    'put the vault of the pending transaction back into the enclave’s chains file until it is mined: the enclave signs no higher fees for a call of another one',
  DATABASE_UNREACHABLE: 'check the database that ORDERS_DATABASE_URL names',
  INTERNAL_ERROR: 'read this role’s log: it names the error, which is a bug; report it',
}

function fixOf(problem: string): string {
  return FIXES[problem] ?? 'check the chain’s RPC endpoints and this role’s log'
}

/** What isn't done while a chain's other work fails. */
const UNDONE: { readonly [work in keyof ChainReport['checks']]-?: string } = {
  ledger: 'whether the vault holds what it owes can’t be checked; no step waits for it',
  search:
    'the vault holds more than it owes, and whether nodes hide an order can’t be checked; no step waits for it',
  bundles: 'the relayer learns recipients from the chain only; no step waits for it',
}

/** What is wrong on a chain, each with what to do about it. */
function problemsOf(report: ChainReport): Problem[] {
  const { name: chain, gas, ledger, problem, checks, unpaidGas, unread } = report
  const problems: Problem[] = []
  if (problem === 'OUT_OF_GAS' || (gas !== null && gas < LITTLE_GAS)) {
    const left = gas === null ? 'too few' : String(gas)
    const what = `the gas account has ${left} wei left; steps that cost more wait`
    problems.push({
      chain,
      code: 'OUT_OF_GAS',
      what,
      fix: 'send it some of the chain’s native coin',
    })
  }
  if (problem !== null && problem !== 'OUT_OF_GAS') {
    problems.push({ chain, code: problem, what: 'steps may be late', fix: fixOf(problem) })
  }
  for (const [work, code] of Object.entries(checks)) {
    if (code === problem) continue
    problems.push({ chain, code, what: UNDONE[work as keyof typeof UNDONE], fix: fixOf(code) })
  }
  if (unpaidGas.waiting > 0 || !unpaidGas.paysFundings) {
    const what = `owners without deliveries used ${unpaidGas.taken} of ${unpaidGas.limit} gas in the last 24 hours: new owners must send their own fundings, and ${unpaidGas.waiting} due tranches wait, longest due first`
    const fix =
      'if these are customers, raise ORDERS_UNPAID_GAS; owners with deliveries aren’t affected, and anyone can send a waiting tranche (GET /orders/:orderId/tranche)'
    problems.push({ chain, code: 'GAS_BUDGET_SPENT', what, fix })
  }
  for (const { token, difference } of ledger?.tokens ?? []) {
    if (difference >= 0n) continue
    const what = `the vault holds ${-difference} less of ${getAddress(token)} than it owes; no tranche of it is fired`
    const fix =
      'compare with another node; if it confirms this, tell the owners that closeOrder needs no service'
    problems.push({ chain, code: 'LEDGER_SHORTFALL', what, fix })
  }
  for (const orderId of ledger?.contradicted ?? []) {
    const what = `the vault’s storage of ${toApiOrderId(orderId)} differs from its events`
    problems.push({ chain, code: 'LEDGER_CONTRADICTED', what, fix: 'compare with another node' })
  }
  for (const { orderId, hiddenBy } of unread) {
    const by = hiddenBy.length === 0 ? 'a node has hidden' : `${hiddenBy.join(', ')} hides`
    const what = `the vault holds tokens of ${toApiOrderId(orderId)}, whose funding ${by}: its tranches aren’t fired`
    const fix =
      'if this lasts for more than ten minutes, replace that node; the order’s owner can close it without the service'
    problems.push({ chain, code: 'ORDER_UNREAD', what, fix })
  }
  return problems
}
