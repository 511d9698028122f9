import { tokenOf } from '../../../tools/seed/seedSqlFunctions.ts'
import { BASE, HORIZEN, type SeededApi } from '../rest/seededApi.ts'
import { HOSTILE_TOKEN } from './explorerRig.ts'

/** What of a seeded intent its pages are found by. */
type SeededIntent = {
  id: string
  chain: string
  sender: string
  solver: string
  createTx: string
  block: number
}

/** Statuses of intents that a seeded index has, and that end no more. */
const STATUSES = ['completed', 'failed', 'expired', 'cancelled'] as const

/** Every page of the explorer over a seeded index, by a name, and what they are about. */
export async function listExplorerPages(rig: Pick<SeededApi, 'get'>) {
  const one = async (status: string): Promise<SeededIntent> => {
    const chain = status === 'completed' ? `&sourceChainId=${BASE}` : ''
    const { body } = await rig.get(`/intents?limit=1&status=${status}${chain}`)
    const [intent] = body.intents
    return {
      id: intent.intentId,
      chain: intent.sourceChainId,
      sender: intent.sender,
      solver: intent.solverAddress,
      createTx: intent.createTxHash,
      block: intent.timeline[0].blockNumber,
    }
  }
  const found = await Promise.all(STATUSES.map(async (status) => [status, await one(status)]))
  const intents = Object.fromEntries(found) as Record<(typeof STATUSES)[number], SeededIntent>
  /** A scheduled order that has fired its tranche. */
  const order: { id: string; vaultOrderId: string; sourceChainId: string; user: string } = (
    await rig.get('/order-details?limit=1')
  ).body.orders[0]
  const { completed } = intents
  const paths: Record<string, string> = {
    overview: '/',
    intents: '/explorer/intents',
    ...Object.fromEntries(
      STATUSES.map((status) => [status, `/explorer/intent/${intents[status].id}`]),
    ),
    orders: '/explorer/orders',
    order: `/explorer/order/${order.id}?chainId=${order.sourceChainId}`,
    solvers: '/explorer/solvers',
    solver: `/explorer/solver/${completed.solver}`,
    pairs: '/explorer/pairs',
    pair: `/explorer/pair/${BASE}/${HORIZEN}/${tokenOf('USDC', BASE)}/${tokenOf('USDC', HORIZEN)}`,
    chains: '/explorer/chains',
    tokens: '/explorer/tokens',
    wallet: '/explorer/wallet',
    transaction: `/explorer/transaction/${completed.createTx}`,
    block: `/explorer/block/${BASE}/${completed.block}`,
    address: `/explorer/address/${completed.sender}`,
    token: `/explorer/address/${HOSTILE_TOKEN}`,
    nowhere: '/explorer/nowhere',
  }
  return { paths, intents, order }
}
