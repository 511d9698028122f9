import { Histogram, type Registry } from 'prom-client'
import type { FiredTranche } from '../../services/orders/follow/followVault.ts'
import type { OrdersService } from '../../services/orders/ordersServiceTypes.ts'
import { createProblemMetrics } from '../http/createProblemMetrics.ts'
import { type Reading, readingOf, readingsPer } from '../http/metrics.ts'
import { listOrderProblems } from './orderServiceProblems.ts'

/** Orders' metrics for Prometheus. */
export function createOrderMetrics(orders: OrdersService): Reading[] {
  const reports = () => orders.report()
  const ofChain = readingsPer(reports, { chain: ({ name }) => name })
  const gauge = (name: string, help: string, of: Parameters<typeof ofChain>[2]) =>
    ofChain(`cairn_orders_${name}`, help, of)
  const readProblems = async () => {
    const found = await listOrderProblems(orders)
    const problems = found.map(({ chain, code }) => ({ part: 'orders', chain: chain ?? '', code }))
    return { isOk: found.length === 0, problems }
  }
  return [
    ...createProblemMetrics(readProblems),
    gauge('active', 'Orders that are active.', (report) => report.orders.active),
    gauge('due', 'Orders with a due step that hasn’t started.', (one) => one.orders.due),
    gauge('overdue_seconds', 'How late the oldest due step is now.', 'lateness'),
    gauge('tranches_fired', 'Tranches fired, according to the chain.', (one) => one.tranches.fired),
    gauge(
      'tranches_settled',
      'Tranches settled, according to the chain.',
      (one) => one.tranches.settled,
    ),
    gauge('tranches_refunded', 'Tranches refunded or cancelled.', (one) => one.tranches.refunded),
    gauge(
      'tranches_failed',
      'Of these, tranches whose winner didn’t deliver.',
      (one) => one.tranches.failed,
    ),
    gauge(
      'bundles_accepted',
      'Tranches whose recipients the relayer has accepted since the start.',
      'bundlesAccepted',
    ),
    gauge('block', 'Block up to which orders are known.', 'blockNumber'),
    gauge('gas_wei', 'Balance of the gas account.', 'gas'),
    gauge(
      'unpaid_gas',
      'Gas of the last 24 hours that no fee covers, over all owners.',
      ({ unpaidGas }) => unpaidGas.taken,
    ),
    gauge('unpaid_gas_limit', 'Limit of unpaid gas.', ({ unpaidGas }) => unpaidGas.limit),
    gauge(
      'waiting_for_gas',
      'Due tranches waiting until unpaid gas is below its limit.',
      ({ unpaidGas }) => unpaidGas.waiting,
    ),
    readingOf(
      'cairn_orders_failing',
      'Orders whose next step is late by a minute or more.',
      () => orders.stuck().length,
    ),
    {
      name: 'cairn_orders_ledger_difference',
      help: 'Balance of a vault minus what it owes, base units: below 0 something is wrong.',
      labels: ['chain', 'token'],
      read: async () =>
        (await orders.report()).flatMap(({ name, ledger }) =>
          (ledger?.tokens ?? []).map(({ token, difference }) => ({
            labels: { chain: name, token },
            value: Number(difference),
          })),
        ),
    },
  ]
}

/** Counts how late tranches are fired, in their chain's time, which advances in blocks. */
export function createLatenessMeter(registry: Registry): (fired: FiredTranche) => void {
  const lateness = new Histogram({
    name: 'cairn_orders_lateness_seconds',
    help: 'Time from when a tranche was due to its block.',
    labelNames: ['chain'] as const,
    buckets: [1, 2, 4, 8, 15, 30, 60, 300, 1_800, 7_200],
    registers: [registry],
  })
  return ({ chain, lateness: seconds }) => lateness.observe({ chain }, seconds)
}
