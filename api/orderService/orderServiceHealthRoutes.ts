import { z } from '@hono/zod-openapi'
import { getAddress } from 'viem'
import type { OrdersService } from '../../services/orders/ordersServiceTypes.ts'
import type { ChainReport } from '../../services/orders/reportChain.ts'
import { type App, addEndpoint, success } from '../http/addEndpoint.ts'
import { UnavailableError } from '../http/apiError.ts'
import { address, amount, count, flag, text } from '../http/valueSchemas.ts'
import { listOrderProblems } from './orderServiceProblems.ts'

const answer = z.object({
  status: z.enum(['ok', 'degraded']),
  service: z.literal('scheduled-orders'),
  timestamp: z.string(),
  networks: z.array(z.string()),
  chainInfo: z.record(z.string(), z.string()),
  account: address.describe('The account that pays the gas.'),
  problems: z.array(
    z.object({
      chain: z.string().nullable().describe('Null for a problem of the service itself.'),
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
      lateness: z.number().describe('How late the oldest due step is, in seconds.'),
      gas: amount.nullable(),
      unpaidGas: z
        .object({
          limit: amount,
          taken: amount,
          paysFundings: flag.describe(
            'Whether the service currently pays to fund orders of owners without deliveries.',
          ),
          waiting: count.describe('Due tranches that its balance can’t pay for.'),
        })
        .describe(
          'Gas of all owners in the last 24 hours that no fee covers. Fundings may use half of the limit, tranches all of it.',
        ),
      ledger: z
        .array(
          z.object({
            token: address,
            left: amount,
            credits: amount,
            balance: amount,
            difference: text.describe(
              'Balance minus what is owed. Above 0, someone sent tokens, or an order wasn’t read (`ORDER_UNREAD`); below 0, no tranche of the token is fired.',
            ),
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
    tag: 'Service',
    summary: 'The state of the service and of the vaults’ ledgers',
    answer,
    handler: async () => {
      const [reports, problems] = await Promise.all([orders.report(), listOrderProblems(orders)])
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
    tag: 'Service',
    summary: 'Whether the service can answer requests',
    answer: success({}),
    failures: [503],
    handler: async () => {
      if (orders.isReady()) return {}
      throw new UnavailableError(
        'the chains’ orders are being read: try again',
        'INDEX_NOT_READY',
        2,
      )
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
