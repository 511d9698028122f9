import type { ChainReport } from '../../services/orders/chainReport.ts'
import type { OrdersService } from '../../services/orders/ordersService.ts'
import type { Reading, Sample } from '../http/metrics.ts'

/** Orders' metrics for Prometheus. */
export function orderMetrics(orders: OrdersService): Reading[] {
  const gauge = (
    name: string,
    help: string,
    of: (report: ChainReport) => number | null,
  ): Reading => ({
    ...{ name: `cairn_orders_${name}`, help, labels: ['chain'] },
    read: async () => samples(await orders.report(), of),
  })
  return [
    gauge('active', 'Orders that are active.', (report) => report.orders.active),
    gauge('due', 'Orders with a due step that hasn’t started.', (one) => one.orders.due),
    gauge('overdue_seconds', 'How late the oldest due step is now.', (one) => one.lateness),
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
      (report) => report.bundlesAccepted,
    ),
    gauge('block', 'Block up to which orders are known.', (report) => report.blockNumber),
    gauge('gas_wei', 'Balance of the gas account.', ({ gas }) =>
      gas === null ? null : Number(gas),
    ),
    gauge(
      'unpaid_gas',
      'Gas of the last 24 hours that no fee covers, over all owners.',
      ({ unpaidGas }) => Number(unpaidGas.taken),
    ),
    gauge('unpaid_gas_limit', 'Limit of unpaid gas.', ({ unpaidGas }) => Number(unpaidGas.limit)),
    gauge(
      'waiting_for_gas',
      'Due tranches waiting until unpaid gas is below its limit.',
      ({ unpaidGas }) => unpaidGas.waiting,
    ),
    {
      name: 'cairn_orders_failing',
      help: 'Orders whose next step is late by a minute or more.',
      read: () => [{ value: orders.stuck().length }],
    },
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

function samples(
  reports: readonly ChainReport[],
  of: (report: ChainReport) => number | bigint | null,
): Sample[] {
  return reports.flatMap((report) => {
    const value = of(report)
    return value === null ? [] : [{ labels: { chain: report.name }, value: Number(value) }]
  })
}
