import { z } from '@hono/zod-openapi'
import { getAddress } from 'viem'
import { toApiOrderId } from '../../core/order/apiOrderId.ts'
import type { OrdersService } from '../../services/orders/ordersServiceTypes.ts'
import type { ChainReport } from '../../services/orders/reportChain.ts'
import { type App, addEndpoint } from '../http/addEndpoint.ts'
import { UnavailableError } from '../http/apiError.ts'
import { address, amount, count } from '../http/valueSchemas.ts'

/** Wei below which the paying account counts as empty: a few dozen tranches at a gwei. */
const LITTLE_GAS = 10n ** 16n

const answer = z.object({
  status: z.enum(['ok', 'degraded']),
  service: z.literal('scheduled-orders'),
  timestamp: z.string(),
  networks: z.array(z.string()),
  chainInfo: z.record(z.string(), z.string()),
  account: address.openapi({ description: 'The account that pays the gas.' }),
  problems: z.array(
    z.object({
      chain: z
        .string()
        .nullable()
        .openapi({ description: 'Null for a problem of the service itself.' }),
      code: z.string(),
      what: z.string(),
      fix: z.string(),
    }),
  ),
  chains: z.array(
    z.object({
      chain: z.string(),
      vault: address,
      blockNumber: count.nullable(),
      orders: z.object({ total: z.number(), active: z.number(), due: z.number() }),
      lateness: z.number().openapi({ description: 'How late the oldest due step is, in seconds.' }),
      gas: amount.nullable(),
      unpaidGas: z
        .object({
          limit: amount,
          taken: amount,
          paysFundings: z.boolean().openapi({
            description:
              'Whether the service currently pays to fund orders of owners without deliveries.',
          }),
          waiting: count.openapi({ description: 'Due tranches that its balance can’t pay for.' }),
        })
        .openapi({
          description:
            'Gas of all owners in the last 24 hours that no fee covers. Fundings may use half of the limit, tranches all of it.',
        }),
      ledger: z
        .array(
          z.object({
            token: address,
            left: amount,
            credits: amount,
            balance: amount,
            difference: z.string().openapi({
              description:
                'Balance minus what is owed. Above 0, someone sent tokens; below 0, no tranche of the token is fired.',
            }),
          }),
        )
        .nullable(),
    }),
  ),
})

/** `GET /health` for people, `GET /ready` for load balancers. */
export function addOrderServiceHealthRoutes(app: App, orders: OrdersService): void {
  addEndpoint(app, {
    method: 'get',
    path: '/health',
    tag: 'Operations',
    summary: 'The state of the service and of the vaults’ ledgers',
    answer,
    handler: async () => {
      const [reports, clock] = await Promise.all([orders.report(), orders.clockProblem()])
      const problems = [...ownProblems(clock), ...reports.flatMap(problemsOf)]
      return {
        status: problems.length === 0 ? 'ok' : 'degraded',
        service: 'scheduled-orders',
        timestamp: new Date().toISOString(),
        networks: reports.map(({ name }) => name),
        chainInfo: Object.fromEntries(reports.map(({ name, chainId }) => [name, String(chainId)])),
        account: orders.account,
        problems,
        chains: reports.map(renderChain),
      }
    },
  })
  addEndpoint(app, {
    method: 'get',
    path: '/ready',
    tag: 'Operations',
    summary: 'Whether the service can answer requests',
    answer: z.object({ success: z.literal(true) }),
    failures: [503],
    handler: async () => {
      if (orders.isReady()) return {}
      throw new UnavailableError('the chains’ orders are being read', 'INDEX_NOT_READY', 2)
    },
  })
}

function renderChain({ name, vault, ledger, gas, unpaidGas, ...report }: ChainReport) {
  const { blockNumber, lateness, orders } = report
  return {
    chain: name,
    vault: getAddress(vault),
    blockNumber,
    orders,
    lateness,
    gas: gas === null ? null : String(gas),
    unpaidGas: { ...unpaidGas, limit: String(unpaidGas.limit), taken: String(unpaidGas.taken) },
    ledger:
      ledger?.tokens.map(({ token, left, credits, balance, difference }) => ({
        token: getAddress(token),
        left: String(left),
        credits: String(credits),
        balance: String(balance),
        difference: String(difference),
      })) ?? null,
  }
}

type Problem = { chain: string | null; code: string; what: string; fix: string }
type ClockProblem = Awaited<ReturnType<OrdersService['clockProblem']>>

function ownProblems(clock: ClockProblem): Problem[] {
  return clock === null
    ? []
    : [{ chain: null, code: clock.code, what: clock.cause, fix: clock.fix }]
}

/** What to do about a problem that the chain's nodes didn't cause. */
const FIXES: { readonly [problem: string]: string } = {
  FEE_CAP: 'raise maxFeeGwei (or MAX_FEE_GWEI), or wait until gas costs less',
  NONCE_BLOCKED:
    'find out who has the key: another program sent a transaction with it that no block includes, and the service outbids that one automatically',
  ENCLAVE_UNREACHABLE: 'check that the enclaves of ENCLAVE_SOCKETS run',
  DATABASE_UNREACHABLE: 'check the database that ORDERS_DATABASE_URL names',
  INTERNAL_ERROR: 'read this role’s log: it names the error, which is a bug; report it',
}

/** What is wrong on a chain, each with what to do about it. */
function problemsOf(report: ChainReport): Problem[] {
  const { name: chain, gas, ledger, problem, unpaidGas } = report
  const problems: Problem[] = []
  if (gas !== null && gas < LITTLE_GAS) {
    const what = `the gas account has ${gas} wei left; steps that cost more wait`
    problems.push({
      chain,
      code: 'OUT_OF_GAS',
      what,
      fix: 'send it some of the chain’s native coin',
    })
  } else if (problem !== null) {
    const fix = FIXES[problem] ?? 'check the chain’s RPC endpoints and this role’s log'
    problems.push({ chain, code: problem, what: 'steps may be late', fix })
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
  return problems
}
