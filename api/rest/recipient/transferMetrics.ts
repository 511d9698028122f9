import type { TransfersHealth } from '../../../services/relayer/recipients/transfers/readTransfersHealth.ts'
import type { Reading } from '../../http/metrics.ts'

/**
 * The metrics of following the transfers of Safes.
 *
 * @param health is asked once for each number
 */
export function transferMetrics(
  health: () => Promise<TransfersHealth[]>,
  nameOf: (chainId: number) => string,
): Reading[] {
  const ofChains = (
    name: string,
    help: string,
    value: (one: TransfersHealth) => number | null,
    type: 'gauge' | 'counter' = 'gauge',
  ): Reading => ({
    ...{ name, help, type, labels: ['chain'] },
    read: async () =>
      (await health()).flatMap((one) => {
        const number = value(one)
        return number === null ? [] : [{ labels: { chain: nameOf(one.chainId) }, value: number }]
      }),
  })
  return [
    ofChains(
      'cairn_transfers_block',
      'Last block whose Safe transfers have been read.',
      ({ position }) => position,
    ),
    ofChains(
      'cairn_transfers_lag_seconds',
      'Time since all transfers had been read.',
      ({ lagSeconds }) => lagSeconds,
    ),
    ofChains(
      'cairn_transfers_failures_total',
      'Failed rounds since the follower started.',
      ({ failures }) => failures,
      'counter',
    ),
    ofChains('cairn_transfers_up', '1 while transfers are followed, at the head.', ({ status }) =>
      Number(status === 'ok'),
    ),
    {
      name: 'cairn_transfers_safes',
      help: 'Safes by state: followed, quiet, still to be read back.',
      labels: ['chain', 'state'],
      read: async () =>
        (await health()).flatMap(({ chainId, safes }) =>
          Object.entries(safes ?? {}).map(([state, value]) => ({
            ...{ labels: { chain: nameOf(chainId), state }, value },
          })),
        ),
    },
  ]
}
