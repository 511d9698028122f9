import { encodeFunctionData, type Hex } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { worth } from '../../../devnet/tokens.ts'
import type { AccountSender } from '../../../services/chain/accountSender.ts'
import { refuseUnpayableRecipients } from '../../../services/relayer/recipientBundles/refuseUnpayableRecipients.ts'
import type { Offer } from '../../integration/reactions/relayerRig.ts'
import { post, recordAnswer, rig } from './attackTestbed.ts'

/** Bundles that are refused. Runs on an open testbed. */
export function describeMaliciousBundles(): void {
  describe('bundles that would cost someone money', () => {
    let open: Offer
    beforeAll(async () => {
      open = await rig.create({ blob: false })
    })
    const bad =
      (change: (bundle: { recipients: string[]; amounts: string[] }) => object) => async () => {
        const { id, recipients, amounts } = open
        const plain = { recipients: [...recipients] as string[], amounts: amounts.map(String) }
        const body = { intentId: String(id), chainId: rig.base.chainId }
        const bundle = change(plain)
        const sealed = { ...body, encryptedData: await rig.encrypted(bundle) }
        const answers = [
          await post('/store-recipients', sealed),
          recordAnswer(await rig.compat.post('/store-recipients', sealed)),
          recordAnswer(await rig.compat.post('/store-recipients', { ...body, ...bundle })),
        ]
        for (const { status, body: reported } of answers) {
          expect([status, reported.success]).toEqual([400, false])
          expect(reported.code).toMatch(/^(BUNDLE_INVALID|INVALID_RECIPIENT|INVALID_REQUEST)$/)
        }
      }
    const first = (recipient: () => string) =>
      bad(({ recipients: [, ...others], amounts }) => ({
        recipients: [recipient(), ...others],
        amounts,
      }))

    it(
      'are refused if they pay nobody',
      first(() => `0x${'0'.repeat(40)}`),
    )
    it(
      'are refused if they pay the token',
      first(() => rig.base.contracts.tokens.ZEN),
    )
    it(
      'are refused if they pay the bridge',
      first(() => rig.base.contracts.bridge),
    )
    it(
      'are refused if they pay an address with a typing error',
      first(() => `${rig.stranger.address.slice(0, -1)}X`),
    )
    it(
      'are refused for a wrong checksum',
      first(() => rig.stranger.address.replace(/[A-F]/, (l) => l.toLowerCase())),
    )
    it(
      'are refused if they pay nothing',
      bad((bundle) => ({ ...bundle, amounts: bundle.amounts.map(() => '0') })),
    )
    it(
      'are refused for amounts without recipients',
      bad((bundle) => ({ ...bundle, recipients: [] })),
    )
    it(
      'are refused if they promise more than was offered',
      bad((bundle) => ({
        ...bundle,
        amounts: bundle.amounts.map(() => String(worth('ZEN', 9_000))),
      })),
    )
    it(
      'are refused if their sum overflows',
      bad((bundle) => ({ ...bundle, amounts: bundle.amounts.map(() => String(2n ** 255n)) })),
    )
    it(
      'are refused if amounts are numbers',
      bad((bundle) => ({ ...bundle, amounts: bundle.amounts.map(Number) })),
    )
    it(
      'are refused if they pay 201 recipients',
      bad(() => ({
        recipients: Array.from(
          { length: 201 },
          (_, at) => `0x${(at + 1).toString(16).padStart(40, '0')}`,
        ),
        amounts: Array.from({ length: 201 }, () => '1'),
      })),
    )

    it('are refused if the token refuses a recipient', async () => {
      const { client, contracts, senders } = rig.horizen
      const refused = `0x${'be'.repeat(20)}` as Hex
      const abi = [
        {
          type: 'function',
          name: 'blacklist',
          inputs: [{ type: 'address' }],
          outputs: [],
          stateMutability: 'nonpayable',
        },
      ] as const
      const data = encodeFunctionData({ abi, functionName: 'blacklist', args: [refused] })
      await (senders[0] as AccountSender).execute({ to: contracts.tokens.USDC, data })
      const { USDC, USDT } = contracts.tokens
      const fine = rig.stranger.address
      await expect(refuseUnpayableRecipients(client, USDC, [fine, refused])).rejects.toThrow(
        'recipients.1',
      )
      await refuseUnpayableRecipients(client, USDC, [fine])
      await refuseUnpayableRecipients(client, USDT, [fine, refused])
      await refuseUnpayableRecipients(client, contracts.bridge, [fine])
    })
  })
}
