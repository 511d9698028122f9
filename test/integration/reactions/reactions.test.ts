import { erc20Abi } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Reactions } from '../../../services/reactions/startReactions.ts'
import { type Offer, type RelayerRig, startRelayerRig } from './relayerRig.ts'

let rig: RelayerRig
let reactions: Reactions | null = null

beforeAll(async () => {
  rig = await startRelayerRig()
})
afterAll(() => rig?.stop())
afterEach(async () => {
  await reactions?.stop()
  reactions = null
})

async function feeBpsOf(id: bigint): Promise<number | null> {
  return (await rig.stored(id))?.source.feeBps ?? null
}

/** Brings an anchored intent to where its winner has delivered. */
async function winAndDeliver(offer: Offer): Promise<void> {
  await rig.until(async () => (await feeBpsOf(offer.id)) !== null, 'anchored')
  await rig.play.bid(offer.id)
  await rig.play.endAuction()
  await rig.play.deposit(offer.id)
  await rig.deliver(offer)
}

const isSettled = (id: bigint) => async () => (await rig.phase(id)) === 'completed'

async function transactions(kind: string, id: bigint) {
  const { rows } = await rig.client.query(
    'select * from app.transaction where kind = $1 and effect = $2',
    [kind, String(id)],
  )
  return rows
}

describe('the reactions', () => {
  it('bring an intent with its recipients in the creation to its end', async () => {
    reactions = await rig.startReactions()
    const offer = await rig.create()
    await winAndDeliver(offer)
    await rig.until(isSettled(offer.id), 'settled')
    const facts = await rig.stored(offer.id)
    expect(facts?.source).toMatchObject({ feeBps: 250, phase: 'completed', blobCount: 1 })
    const paid = await Promise.all(
      offer.recipients.map((recipient) =>
        rig.horizen.client.readContract({
          ...{ address: rig.horizen.contracts.tokens.ZEN, abi: erc20Abi },
          ...{ functionName: 'balanceOf', args: [recipient] },
        }),
      ),
    )
    for (const [at, amount] of offer.amounts.entries())
      expect(paid[at]).toBeGreaterThanOrEqual(amount)
    expect(await transactions('settle', offer.id)).toHaveLength(1)
  })
})
