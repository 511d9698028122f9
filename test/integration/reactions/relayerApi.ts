import type { Hex } from 'viem'
import type { SettleCoordinatorOptions } from '../../../api/rest/settlement/settleCoordinator.ts'
import { createSettlementRoutes } from '../../../api/rest/settlement/settlementRoutes.ts'
import { startApi } from '../../../api/rest/startApi.ts'
import type { Status } from '../../../core/intent/status.ts'
import type { Offer, RelayerRig } from './relayerRig.ts'

const TOKEN = 'an-admin-token-of-thirty-two-bytes'
export const ADMIN = { authorization: `Bearer ${TOKEN}` }

const FREE = { perSecond: 100_000, burst: 100_000 }

/** The API over a rig's index. */
export async function startRelayerApi(rig: RelayerRig, options: SettleCoordinatorOptions = {}) {
  const api = await startApi({
    databaseUrl: rig.postgres.databaseUrl,
    chains: rig.configs,
    host: '127.0.0.1',
    port: 0,
    limits: { reads: FREE, writes: FREE },
    rpcPollMs: 100,
    expectsReactions: true,
    routes: [createSettlementRoutes({ adminTokens: [TOKEN], deliveryTimeoutMs: 500, ...options })],
  })
  const ask = async (path: string, init: RequestInit) => {
    const response = await fetch(`${api.url}${path}`, init)
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return { status: response.status, text, body: isJson ? JSON.parse(text) : null }
  }
  const settle = (body: unknown) =>
    ask('/settle', {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    })
  return {
    get: (path: string, headers: Record<string, string> = {}) => ask(path, { headers }),
    settle,
    codeOf: async (body: unknown): Promise<string> => (await settle(body)).body.code,
    /** Whether it shows an intent with this status: the database has a change a moment before the API hears of it. */
    shows: async ({ id }: Offer, status: Status): Promise<boolean> =>
      (await ask(`/intent-details/${id}`, {})).body.intent?.status === status,
    stop: () => api.stop(),
  }
}

/** What a solver sends after its delivery. */
export function buildHints(
  rig: RelayerRig,
  { id }: Offer,
  hashes: { depositTxHash: Hex; solveTxHash: Hex },
) {
  return {
    intentId: String(id),
    network: 'base_sepolia',
    chain2IntentId: String(rig.lastDelivery()),
    solverAddress: rig.base.solvers[0]?.address,
    destinationChain: 'horizen_testnet',
    ...hashes,
  }
}
