import type { Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { MAX_UNSIGNED_WAIT } from '../../../core/recipientBundle/decide/bundleDecisionState.ts'
import { worth } from '../../../devnet/tokens.ts'
import { GAS_PRICE_ORACLE } from '../../../services/chain/transactions/rollupDataFees.ts'
import { findGasPriceCap } from '../../../services/config/findGasPriceCap.ts'
import { readRefundGas } from '../../../services/relayer/reconciler/perform/refundGas.ts'
import {
  gasOfSender,
  readUnpaidGas,
} from '../../../services/relayer/reconciler/perform/unpaidGas.ts'
import { findSignedStatement } from '../../../services/relayer/settlement/signedStatements.ts'
import type { Offer, RelayerRig } from '../../integration/reactions/relayerRig.ts'
import { buildGasOracleCode } from '../../rig/stubGasOracle.ts'

/** Four times as many as may be ahead of the last one. */
const BURST = 64
/** Of one payer's transactions, those that may come before others'. */
const QUOTA = 16
/** What the rig's intents offer. */
const OFFERED = worth('USDC', 10_000)

/** Anchors that are requested, and the first nonce that each was signed with: many are signed at the same moment. */
const ANCHORS = `select split_part(t.effect, ':', 1) as id, min(v.nonce) as nonce
  from app.transaction t left join app.transaction_version v on v.transaction_id = t.id
  where t.kind = 'anchor' and t.chain_id = $1 and split_part(t.effect, ':', 1) = any($2) group by t.id`

/** Senders who make the relayer work and pay. Runs on an open rig. */
export function describeAnchorFloods(rigOf: () => RelayerRig): void {
  const idOf = ({ id }: Offer) => String(id)
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
    return rig.startReactions({ anchorGasPerMinimum: (gas * BigInt(rows[0].least)) / OFFERED })
  }

  describe('a flood of anchors by one sender', () => {
    it('a flood of anchors doesn’t delay the anchor of a sender who comes last', async () => {
      const rig = rigOf()
      // The flood is there before anybody looks, so that all of it is ahead of the stranger's.
      const many: Offer[] = []
      for (let at = 0; at < BURST; at++) many.push(await rig.create({ by: 0, auction: 3_600 }))
      // Its deadline is the last, too: without turns all others would come first.
      await rig.base.client.increaseTime({ seconds: 10 })
      const stranger = await rig.create({ by: 1, auction: 3_600 })
      await rig.until(async () => (await rig.stored(stranger.id)) !== null, 'all are indexed')
      // Without gas, all of them are requested before any is signed, however busy the machine is.
      const { client, chainId } = rig.base
      const balance = await client.getBalance({ address: rig.relayer })
      await client.setBalance({ address: rig.relayer, value: 0n })
      const reactions = await rig.startReactions({ unpaidGas: 10n ** 12n })
      const requested = () => rig.client.query(ANCHORS, [chainId, [...many, stranger].map(idOf)])
      await rig.until(async () => (await requested()).rowCount === BURST + 1, 'all are requested')
      await client.setBalance({ address: rig.relayer, value: balance })
      await rig.until(() => isAnchored(stranger), 'the stranger’s is anchored')
      const { rows } = await requested()
      const { nonce } = rows.find(({ id }) => id === idOf(stranger))
      const ahead = rows.filter((one) => one.nonce !== null && Number(one.nonce) < Number(nonce))
      expect(ahead.length).toBeLessThanOrEqual(QUOTA)
      await reactions.stop()
    })
  })

  describe('a sender who creates intents to cancel them', () => {
    it('a sender who cancels its intents gets anchors only as far as their fee repays them; anyone can send the others', async () => {
      const rig = rigOf()
      const reactions = await startPoor(rig, 350_000n)
      const offer = await rig.create({ blob: false, recipients: 200, by: 2, auction: 600 })
      await rig.store(offer)
      // Nobody's word waits for the sender's, by the chain's clock.
      await rig.base.client.increaseTime({ seconds: MAX_UNSIGNED_WAIT })
      await rig.base.client.mine({ blocks: 1 })
      await rig.until(() => isAnchored(offer), 'anchored')
      await rig.describe(offer, { metadata: { title: 'one more' }, viewers: [] })
      const isOver = async () => (await reasonOf('append', offer))?.state === 'refused'
      await rig.until(isOver, 'no more is paid for')
      expect((await reasonOf('append', offer)).reason).toBe('FEE_TOO_SMALL')
      const source = (await rig.stored(offer.id))?.source
      const signed = source && (await findSignedStatement(rig.database.db, 'append', source))
      expect(signed?.signatures).toHaveLength(1)
      await reactions.stop()
    })
  })

  describe('senders who cancel after each anchor, one after another', () => {
    it('all senders who cancel share a daily budget; anyone can send the anchors that wait', async () => {
      const rig = rigOf()
      const { chainId } = rig.base
      const cap = findGasPriceCap(rig.configs.find((one) => one.chainId === chainId)!)
      const taken = await readUnpaidGas(rig.database.db, chainId, {
        cap,
        ofSender: gasOfSender(0n),
      })
      // Room for one anchor and not for two. Neither sender has a completed intent.
      const unpaidGas = taken + 200_000n
      const reactions = await rig.startReactions({ unpaidGas, problemsEveryMs: 100 })
      const first = await rig.create({ by: 4, auction: 3_600 })
      await rig.until(() => isAnchored(first), 'the first is anchored')
      const second = await rig.create({ by: 5, auction: 3_600 })
      const reason = async () => (await reasonOf('anchor', second))?.reason
      await rig.until(async () => (await reason()) === 'GAS_BUDGET_SPENT', 'the second waits')
      expect(await reasonOf('anchor', second)).toMatchObject({ state: 'waiting' })
      const { source } = (await rig.stored(second.id))!
      const signed = await findSignedStatement(rig.database.db, 'anchor', source)
      expect(signed?.signatures).toHaveLength(1)
      const codes = () => reactions.status().problems?.map(({ code }) => code) ?? []
      await rig.until(async () => codes().includes('GAS_BUDGET_SPENT'), 'reported')
      expect(await isAnchored(second)).toBe(false)
      await reactions.stop()
      // Once there is room, it continues by itself.
      const richer = await rig.startReactions()
      await rig.until(() => isAnchored(second), 'the second is anchored')
      await richer.stop()
    })
  })

  describe('senders who leave intents that nobody can bid for, one after another', () => {
    it('get so many refunds a day at the relayer’s cost; anyone can send what waits', async () => {
      const rig = rigOf()
      const { chainId, senders } = rig.base
      const cap = findGasPriceCap(rig.configs.find((one) => one.chainId === chainId)!)
      // Room for one refund and not for two.
      const unpaidGas = (await readRefundGas(rig.database.db, chainId, cap)) + 150_000n
      const offers = [
        await rig.create({ blob: false, by: 4, auction: 30 }),
        await rig.create({ blob: false, by: 5, auction: 30 }),
      ] as const
      await rig.endAuctions(offers)
      const phases = () => Promise.all(offers.map(({ id }) => rig.phase(id)))
      const reactions = await rig.startReactions({ unpaidGas, refundAfter: 0 })
      const reasons = async () =>
        (await Promise.all(offers.map((one) => reasonOf('refund', one)))).map((row) => row?.reason)
      await rig.until(async () => (await reasons()).includes('GAS_BUDGET_SPENT'), 'one waits')
      await rig.until(async () => (await phases()).includes('expired'), 'the other is refunded')
      expect(await phases()).toContain('open')
      await reactions.stop()
      // Once there is room, it continues by itself.
      const richer = await rig.startReactions({ refundAfter: 0 })
      const isOver = async () => (await phases()).every((phase) => phase === 'expired')
      await rig.until(isOver, 'both are refunded')
      await richer.stop()
      const payer = senders[4]!.address.toLowerCase()
      const own = await readRefundGas(rig.database.db, chainId, cap, payer)
      expect(own).toBeGreaterThan(100_000n)
      expect(own).toBeLessThan(150_000n)
    })
  })

  describe('an intent on a rollup whose data costs more than the fee repays', () => {
    it('an intent whose data costs more than its fee gets an anchor that anyone can send, and at the relayer’s cost once data is cheaper', async () => {
      const rig = rigOf()
      const { client } = rig.base
      const setOracle = (bytecode: Hex) => client.setCode({ address: GAS_PRICE_ORACLE, bytecode })
      await setOracle(buildGasOracleCode(10n ** 13n))
      const reactions = await startPoor(rig, 400_000n)
      const offer = await rig.create({ by: 3, auction: 600 })
      const reason = async () => (await reasonOf('anchor', offer))?.reason
      await rig.until(async () => (await reason()) === 'FEE_TOO_SMALL', 'it waits')
      const source = (await rig.stored(offer.id))?.source
      expect(
        source && (await findSignedStatement(rig.database.db, 'anchor', source)),
      ).not.toBeNull()
      await setOracle('0x')
      const isAnchored = async () => (await rig.stored(offer.id))?.source.feeBps !== null
      await rig.until(isAnchored, 'anchored')
      await reactions.stop()
    })
  })
}
