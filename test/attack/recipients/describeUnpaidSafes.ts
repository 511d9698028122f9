import { keccak256, toHex } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { beforeAll, describe, expect, test } from 'vitest'
import { DEFAULT_SPONSOR_LIMITS } from '../../../services/config/sponsorLimits.ts'
import { leastAmountOf } from '../../../services/relayer/recipients/sponsored/sponsoredGasQuota.ts'
import { LEAST, SOURCE } from '../../integration/recipients/sourceIndex.ts'
import {
  type Delivery,
  type Made,
  OUTSIDE,
  type Reply,
  type SponsorRig,
  transferOf,
} from '../../integration/recipients/sponsorRig.ts'

/** The rig, a registered wallet, and a check that an attack is refused and costs the relayer nothing. */
type Attacked = {
  rig: SponsorRig
  wallet: PrivateKeyAccount
  costsNothing(code: string, attack: () => Promise<Reply>): Promise<Reply>
}

/**
 * Attacks on what the relayer pays for Safes to which no delivery has come, on a rig that is open.
 *
 * @param opened called once the tests have begun
 */
export function describeUnpaidSafes(opened: () => Attacked): void {
  let { rig, wallet, costsNothing } = {} as Attacked
  beforeAll(() => {
    ;({ rig, wallet, costsNothing } = opened())
  })

  describe('10: Safes without a delivery, or with dust', () => {
    test('the relayer pays nothing for Safes that are empty or hold an unlisted token', async () => {
      const empty = await rig.made(wallet)
      await costsNothing('SAFE_NOT_PAID', () => rig.deploy(empty))
      await rig.chain.senders[0]!.execute({ to: empty.safeAddress, data: '0x', value: 1n })
      await rig.chain.client.mine({ blocks: 1 })
      await costsNothing('SAFE_NOT_PAID', () => rig.deploy(empty))
      const spent = await rig.paid(wallet)
      expect(await rig.relay(spent, transferOf(rig, 100n))).toMatchObject({ status: 200 })
      await rig.chain.client.mine({ blocks: 1 })
      await costsNothing('SAFE_NOT_PAID', () =>
        rig.relay(spent, { to: OUTSIDE, data: '0x', nonce: 1n }),
      )
    })

    test('the relayer pays nothing for a Safe whose funds have just arrived', async () => {
      const fresh = await rig.made(wallet)
      await rig.mint(fresh.safeAddress, 100n)
      const early = await costsNothing('PAYMENT_UNCONFIRMED', () => rig.deploy(fresh))
      expect(early.status).toBe(503)
      await rig.chain.client.mine({ blocks: 1 })
      expect(await rig.deploy(fresh)).toMatchObject({ status: 200 })
    })

    test.each([
      ['open', 'SAFE_NOT_PAID'],
      // A winner may deliver to others than the sealed recipients: that is never settled, and refunded.
      ['deposited', 'PAYMENT_UNCONFIRMED'],
      ['failed', 'SAFE_NOT_PAID'],
      ['cancelled', 'SAFE_NOT_PAID'],
    ])('the relayer pays nothing for a Safe whose intent is %s and has paid no fee', async (phase, code) => {
      const paid = await rig.delivered(wallet, { intent: { phase } })
      await rig.solved(paid.intentId)
      await costsNothing(code, () => rig.deploy(paid))
    })

    /** This many funded Safes of one intent. */
    async function safesOf(amountA: bigint, count: number): Promise<Made[]> {
      intents += 1n
      const intentId = (BigInt(SOURCE) << 64n) | (2_000_000n + intents)
      const safes: Made[] = []
      for (let wallets = 0; wallets < count; wallets++) {
        const recipient = await rig.register(`one of many ${wallets}`)
        safes.push(await rig.delivered(recipient, { intentId, intent: { amountA } }))
      }
      return safes
    }
    let intents = 0n

    test('a small intent’s fee limits the gas for its many Safes', async () => {
      const safes = await safesOf(LEAST, 8)
      const answers: Reply[] = []
      for (const safe of safes) answers.push(await rig.deploy(safe))
      const refused = answers.filter(({ status }) => status === 400)
      expect(refused.length).toBeGreaterThan(2)
      for (const { body } of refused) expect(body.code).toBe('FEE_ALLOWANCE_SPENT')
      await costsNothing('FEE_ALLOWANCE_SPENT', () => rig.deploy(safes.at(-1)!))
      // Recipients paid by another intent lose nothing.
      expect(await rig.deploy(await rig.delivered(wallet))).toMatchObject({ status: 200 })
    })

    test('each of five Safes of the smallest possible intent can withdraw, however often the first asks', async () => {
      const [greedy, ...others] = await safesOf(leastAmountOf(LEAST, 5, DEFAULT_SPONSOR_LIMITS), 5)
      expect(await rig.deploy(greedy!)).toMatchObject({ status: 200 })
      let last: Reply | null = null
      for (let nonce = 0n; nonce < 20n && last?.status !== 400; nonce++) {
        last = await rig.relay(greedy!, { ...transferOf(rig, 1n), nonce })
      }
      expect(last?.body.code).toBe('FEE_ALLOWANCE_SPENT')
      for (const safe of others) {
        expect(await rig.deploy(safe)).toMatchObject({ status: 200 })
        expect(await rig.relay(safe, transferOf(rig, 100n))).toMatchObject({ status: 200 })
      }
    })

    test('Safes that a stranger generated for someone else’s intent get half of what its fee pays for', async () => {
      const intentId = (BigInt(SOURCE) << 64n) | 1_000_001n
      const small = { intentId, intent: { amountA: LEAST } }
      const made = async (name: string, of: Delivery) =>
        rig.delivered(await rig.register(name), { ...small, ...of })
      const own = await made('whom an intent pays', {})
      let last: Reply | null = null
      for (let strangers = 1; strangers < 5 && last?.status !== 400; strangers++) {
        const name = `stranger ${strangers}`
        last = await rig.deploy(await made(name, { stranger: keccak256(toHex(name)) }))
      }
      expect(last?.body).toMatchObject({ code: 'FEE_ALLOWANCE_SPENT' })
      expect(await rig.deploy(own)).toMatchObject({ status: 200 })
    })
  })
}
