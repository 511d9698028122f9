import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { worth } from '../../../devnet/tokens.ts'
import { type FaultyRpc, startFaultyRpc } from '../../rig/faultyRpc.ts'
import { type Offer, type RelayerRig, startRelayerRig } from './relayerRig.ts'

const BLOCKS = 6

let rig: RelayerRig
const nodes: FaultyRpc[] = []

/** An offer's amountA is 10,000 USDC, and its reward 100: one of them alone doesn't reach the table's entry. */
beforeAll(async () => {
  rig = await startRelayerRig({
    change: async (config, { tokens: { USDC, ZEN } }) => ({
      ...config,
      rpcUrls: await Promise.all(config.rpcUrls.map(inFrontOf)),
      tokens: {
        USDC: { address: USDC, decimals: 6, confirmations: from(worth('USDC', 10_050)) },
        ZEN: { address: ZEN, decimals: 18, confirmations: from(worth('ZEN', 1_000)) },
      },
    }),
  })
  await rig.startReactions({ refundAfter: 1e9 })
})
afterAll(async () => {
  await rig?.stop()
  await Promise.all(nodes.map((node) => node.close()))
})

async function inFrontOf(url: string): Promise<string> {
  const node = await startFaultyRpc(url)
  nodes.push(node)
  return node.url
}

function from(amount: bigint) {
  return [{ from: String(amount), blocks: BLOCKS }]
}

/** An intent with a winner. */
async function win(): Promise<Offer> {
  // Long, so that a busy machine has anchored it in time.
  const offer = await rig.create({ auction: 600 })
  await rig.until(async () => (await rig.stored(offer.id))?.source.feeBps === 250, 'anchored')
  await rig.play.bid(offer.id)
  await rig.endAuctions([offer])
  await rig.play.deposit(offer.id)
  return offer
}

const isIn =
  (phase: string, { id }: Offer) =>
  async () =>
    (await rig.phase(id)) === phase

describe('where tables require more confirmations of large amounts, the relayer shows enclaves deep enough evidence', () => {
  it('of a deposit whose reward is what makes it large', async () => {
    const offer = await win()
    await rig.deliver(offer)
    await rig.until(isIn('completed', offer), 'settled')
    const { source, deliveries } = (await rig.stored(offer.id))!
    const block = async (hash: string | null) =>
      Number((await rig.base.client.getTransaction({ hash: hash as `0x${string}` })).blockNumber)
    const [deposited, settled] = [
      await block(source.depositTxHash),
      await block(source.settleTxHash),
    ]
    expect(settled - deposited).toBeGreaterThan(BLOCKS)
    expect(deliveries).toHaveLength(1)
  })

  it('of the absence of a large delivery', async () => {
    const offer = await win()
    await rig.play.letDeadlinePass()
    await rig.until(isIn('failed', offer), 'refunded')
  })

  it('of that absence, from nodes that prove their latest block alone', async () => {
    for (const node of nodes) {
      node.inject(({ method, params }) => {
        if (method !== 'eth_getProof' || params[2] === 'latest') return undefined
        return { error: { code: -32000, message: 'missing trie node' } }
      })
    }
    const offer = await win()
    await rig.play.letDeadlinePass()
    await rig.until(isIn('failed', offer), 'refunded')
  })
})
