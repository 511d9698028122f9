import { type Address, encodeFunctionData, erc20Abi, type Hex, numberToHex, toHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { requestDeployment } from '../../../services/relayer/recipients/sponsored/deploySafe.ts'
import { estimateSponsoredGas } from '../../../services/relayer/recipients/sponsored/estimateSponsoredGas.ts'
import { relaySafeTransaction } from '../../../services/relayer/recipients/sponsored/relaySafeTransaction.ts'
import { requirePaidSafe } from '../../../services/relayer/recipients/sponsored/requirePaidSafe.ts'
import { noteSpending } from '../../../services/relayer/recipients/sponsored/sponsorBudget.ts'
import type { Sponsorship } from '../../../services/relayer/recipients/sponsored/sponsorContext.ts'
import { type Fault, type FaultyRpc, startFaultyRpc } from '../../rig/faultyRpc.ts'
import { OUTSIDE, type SponsorRig, transferOf } from './sponsorRig.ts'

type SponsorshipAt = (rpcUrls: readonly string[]) => Sponsorship

/** Tests of what one lying provider makes the relayer pay for or refuse, on a rig that is open. */
export function describeLyingProvider(opened: () => SponsorRig, at: SponsorshipAt): void {
  describe('one lying provider', () => {
    let rig: SponsorRig
    let wallet: Awaited<ReturnType<SponsorRig['register']>>
    let liar: FaultyRpc
    let honest: FaultyRpc[]
    /** With two providers and with three; the liar is the first. */
    let both: [string, Sponsorship][]
    let ofThree: Sponsorship
    const requester = { client: '192.0.2.7', charge: () => {} }

    beforeAll(async () => {
      rig = opened()
      wallet = await rig.register('a recipient of liars')
      const start = () => startFaultyRpc(rig.chain.node.rpc)
      liar = await start()
      honest = await Promise.all([start(), start()])
      const urls = [liar, ...honest].map(({ url }) => url)
      ofThree = at(urls)
      both = [
        ['of two', at(urls.slice(0, 2))],
        ['of three', ofThree],
      ]
    })
    afterAll(() => Promise.all([liar, ...honest].map((one) => one.close())))

    const lie = (method: string, fault: Fault) =>
      liar.inject((call) => (call.method === method ? fault : undefined))
    const amount = (value: bigint) => ({ result: numberToHex(value, { size: 32 }) })
    const reverted = { error: { code: 3, message: 'execution reverted' } }
    const transfer = (to: Address): Hex =>
      encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, 1n] })

    test('one lying provider can’t make the relayer pay for a Safe without a delivery', async () => {
      const { safeAddress } = await rig.made(wallet)
      lie('eth_call', amount(100n))
      for (const [which, sponsorship] of both)
        await expect(requirePaidSafe(sponsorship, safeAddress), which).rejects.toMatchObject({
          code: sponsorship === ofThree ? 'SAFE_NOT_PAID' : 'PAYMENT_UNCONFIRMED',
        })
    })

    test('one lying provider of three can’t have a Safe with a delivery refused', async () => {
      const { safeAddress } = await rig.delivered(wallet)
      lie('eth_call', amount(0n))
      await requirePaidSafe(ofThree, safeAddress)
    })

    test('one lying provider can’t hide a revert that two others see', async () => {
      lie('eth_call', amount(1n))
      const token = rig.contracts.tokens.ZEN
      // The relayer has none.
      await expect(estimateSponsoredGas(ofThree, token, transfer(OUTSIDE))).rejects.toMatchObject({
        code: 'RELAY_PROXY_REVERTED',
      })
    })

    test('one lying provider can neither stop a call that succeeds nor choose its gas', async () => {
      const { tokens } = rig.contracts
      const data = encodeFunctionData({
        abi: erc20Abi,
        functionName: 'approve',
        args: [OUTSIDE, 1n],
      })
      const lies: [string, Fault][] = [
        ['eth_call', reverted],
        ['eth_estimateGas', { result: toHex(21_000) }],
        ['eth_estimateGas', { result: toHex(20_000_000) }],
      ]
      liar.inject(undefined)
      const gas = await estimateSponsoredGas(ofThree, tokens.ZEN, data)
      for (const [method, fault] of lies) {
        lie(method, fault)
        for (const [which, sponsorship] of both)
          expect(
            await estimateSponsoredGas(sponsorship, tokens.ZEN, data),
            `${method} ${which}`,
          ).toBe(gas)
      }
    })

    test('one lying provider can neither hide nor invent a Safe', async () => {
      const unmade = await rig.delivered(wallet)
      lie('eth_getCode', { result: '0x60' })
      for (const [which, sponsorship] of both)
        expect(await requestDeployment(sponsorship, requester, unmade), which).toEqual(
          expect.any(Number),
        )
      const delivery = await rig.paid(wallet)
      lie('eth_getCode', { result: '0x' })
      const { signature } = (await rig.relayBody(delivery, transferOf(rig, 1n))) as {
        signature: Hex
      }
      const { safeAddress } = delivery
      const request = { ...transferOf(rig, 1n), operation: 0, safeAddress, signature }
      for (const [which, sponsorship] of both)
        expect(await relaySafeTransaction(sponsorship, requester, request), which).toEqual(
          expect.any(Number),
        )
    })

    test('one lying provider can’t use up the budget', async () => {
      const { safeAddress } = await rig.paid(wallet)
      const client = await rig.postgres.connect()
      const spent = async () => {
        const { rows } = await client.query(
          `select spent_wei as wei from app.sponsored_transaction where safe_address = $1`,
          [safeAddress],
        )
        return rows[0].wei
      }
      await client.query(
        `update app.sponsored_transaction set spent_wei = null where safe_address = $1`,
        [safeAddress],
      )
      const costly = (receipt: unknown) => ({ ...Object(receipt), gasUsed: toHex(10n ** 15n) })
      lie('eth_getTransactionReceipt', { change: costly })
      const [[, ofTwo]] = both as [[string, Sponsorship]]
      await noteSpending(ofTwo)
      expect(await spent()).toBeNull()
      await noteSpending(ofThree)
      expect(BigInt(await spent())).toBeLessThan(10n ** 16n)
    })
  })
}
