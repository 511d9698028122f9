import type { Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { MOST_WAITING } from '../../../core/bundle/decide/state.ts'
import { worth } from '../../../devnet/tokens.ts'
import { GAS_PRICE_ORACLE } from '../../../services/chain/transactions/dataFees.ts'
import { findSigned } from '../../../services/relayer/settlement/signedStore.ts'
import type { Offer, RelayerRig } from '../../integration/reactions/relayerRig.ts'
import { oracleCode } from '../../rig/standInOracle.ts'

/** Four times as many as are signed at once: half of those may be ahead of whoever comes last. */
const BURST = 200
/** What the rig's intents offer. */
const OFFERED = worth('USDC', 10_000)

/** Senders who let the relayer work and pay, on a rig that is open. */
export function describeAnchorFloods(rigOf: () => RelayerRig): void {
  const isAnchored = async ({ id }: Offer) =>
    ((await rigOf().stored(id))?.source.feeBps ?? null) !== null
  const reasonOf = async (kind: string, { id }: Offer) => {
    const { rows } = await rigOf().client.query(
      `select state, reason from app.reaction where kind = $1 and intent_id = $2`,
      [kind, String(id)],
    )
    return rows[0]
  }

  /** Reactions of a relayer to which an intent of this rig's is worth so much gas. */
  async function startPoor(rig: RelayerRig, gas: bigint) {
    const { rows } = await rig.client.query(
      'select min_amount::text as least from cairn.bridge_token where chain_id = $1 and token = $2',
      [rig.base.chainId, rig.base.contracts.tokens.USDC.toLowerCase()],
    )
    return rig.startReactions({ gasPerMinimum: (gas * BigInt(rows[0].least)) / OFFERED })
  }

  describe('one sender’s many anchors', () => {
    it('don’t delay a stranger’s, who comes last', async () => {
      const rig = rigOf()
      // The flood is there before anybody looks, so that all of it is ahead of the stranger's.
      const many: Offer[] = []
      for (let at = 0; at < BURST; at++) many.push(await rig.create({ by: 0, auction: 600 }))
      const stranger = await rig.create({ by: 1, auction: 600 })
      await rig.until(async () => (await rig.stored(stranger.id)) !== null, 'all are indexed')
      const reactions = await rig.startReactions()
      await rig.until(() => isAnchored(stranger), 'the stranger’s is anchored')
      // Counted from when the relayer knew of the stranger's anchor: it can't prefer it any earlier.
      const { rows } = await rig.client.query(
        `select count(*)::int as ahead from app.transaction t, app.transaction strangers, app.reaction r
          where t.kind = 'anchor' and strangers.kind = 'anchor' and r.kind = 'anchor'
            and split_part(strangers.effect, ':', 1) = $1 and r.intent_id = $1::numeric
            and t.id < strangers.id and t.requested_at > r.wanted_since`,
        [String(stranger.id)],
      )
      expect(rows[0].ahead).toBeLessThan(BURST / 2)
      await reactions.stop()
    }, 240_000)
  })

  describe('a sender who means to cancel', () => {
    it('has as much paid for as the intent’s fee repays, and what it isn’t paid for anybody can send', async () => {
      const rig = rigOf()
      const reactions = await startPoor(rig, 350_000n)
      const offer = await rig.create({ blob: false, recipients: 200, by: 2, auction: 600 })
      await rig.store(offer)
      // Nobody's word waits for the sender's, by the chain's clock.
      await rig.base.client.increaseTime({ seconds: MOST_WAITING })
      await rig.base.client.mine({ blocks: 1 })
      await rig.until(() => isAnchored(offer), 'anchored')
      await rig.describe(offer, { metadata: { title: 'one more' }, viewers: [] })
      const isOver = async () => (await reasonOf('append', offer))?.state === 'refused'
      await rig.until(isOver, 'no more is paid for')
      expect((await reasonOf('append', offer)).reason).toBe('FEE_TOO_SMALL')
      const source = (await rig.stored(offer.id))?.source
      const signed = source && (await findSigned(rig.database.db, 'append', source))
      expect(signed?.signatures).toHaveLength(1)
      await reactions.stop()
    }, 240_000)
  })

  describe('a rollup whose data costs more than the fee repays', () => {
    it('gets no anchor at our cost, and one that anybody can send', async () => {
      const rig = rigOf()
      const { client } = rig.base
      const setOracle = (bytecode: Hex) => client.setCode({ address: GAS_PRICE_ORACLE, bytecode })
      await setOracle(oracleCode(10n ** 13n))
      const reactions = await startPoor(rig, 400_000n)
      const offer = await rig.create({ by: 3, auction: 600 })
      await rig.until(async () => (await reasonOf('anchor', offer))?.state === 'refused', 'refused')
      expect((await reasonOf('anchor', offer)).reason).toBe('FEE_TOO_SMALL')
      const source = (await rig.stored(offer.id))?.source
      expect(source && (await findSigned(rig.database.db, 'anchor', source))).not.toBeNull()
      await reactions.stop()
      await setOracle('0x')
    }, 120_000)
  })
}
