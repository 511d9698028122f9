import { randomBytes } from 'node:crypto'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { decrypt } from 'eciesjs'
import fc from 'fast-check'
import { bytesToHex, type Hex, hexToBytes, pad, sliceHex } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { parseSubmission } from '../../../core/order/parseSubmission.ts'
import { createIntentCall } from '../../../sdk/intent/createIntentCall.ts'
import { sealOrder } from '../../../sdk/orders/sealOrder.ts'
import { sealBundle } from '../../../sdk/seal/sealBundle.ts'
import { sealCreationBlob } from '../../../sdk/seal/sealCreationBlob.ts'
import { createEnclave } from '../../../services/enclave/createEnclave.ts'
import { paramsHash } from '../../../src/event/paramsHash.ts'

const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => bytesToHex(bytes))
const realAddress = address.filter((hex) => !/^0x0{40}$/.test(hex))
const amount = fc.bigInt({ min: 1n, max: 2n ** 96n - 1n })
const bundles = (most: number) =>
  fc.array(fc.tuple(realAddress, amount), { minLength: 1, maxLength: most }).map((pairs) => ({
    recipients: pairs.map(([recipient]) => recipient as Hex),
    amounts: pairs.map(([, one]) => one),
  }))

const BRIDGE = `0x${'44'.repeat(20)}` as const
const USER = `0x${'55'.repeat(20)}` as const
const PARAMS = {
  tokenA: `0x${'66'.repeat(20)}`,
  tokenB: `0x${'77'.repeat(20)}`,
  amountA: 5n,
  expectedAmountB: 4n,
  reward: 1n,
  destChainId: 9n,
  auctionDuration: 20n,
} as const

/** What follows the selector and the seven arguments of a creation, as the bridge reads it. */
const blobBehind = (call: Hex) => sliceHex(call, 4 + 7 * 32)

let enclave: Awaited<ReturnType<typeof createEnclave>>
let publicKey: Hex

beforeAll(async () => {
  enclave = await createEnclave({ roots: [randomBytes(32)], chains: [] })
  publicKey = (await enclave.publicKeys()).eciesPublicKey
})

describe('what a sender seals', () => {
  it('is opened by the enclave: a bundle', async () => {
    await fc.assert(
      fc.asyncProperty(bundles(20), fc.boolean(), async (bundle, bound) => {
        const ciphertext = sealBundle(publicKey, {
          ...bundle,
          ...(bound && { intentId: 7n, chainId: 84532, sender: USER }),
        })
        const opened = await enclave.openBundle({
          ciphertext,
          sourceChainId: 84532,
          intentId: 7n,
          sender: USER,
        })
        expect(opened).toMatchObject(bundle)
      }),
      { seed: 5, numRuns: 15 },
    )
  })

  it('is bound to its intent if it names one', async () => {
    const one = { recipients: [USER], amounts: [1n] }
    const ciphertext = sealBundle(publicKey, { ...one, intentId: 8n })
    const opening = enclave.openBundle({ ciphertext, sourceChainId: 84532, intentId: 7n })
    await expect(opening).rejects.toMatchObject({ code: 'BUNDLE_OF_ANOTHER_INTENT' })
  })

  it('is opened by the enclave: a blob behind the creation’s arguments', async () => {
    await fc.assert(
      fc.asyncProperty(bundles(8), async (bundle) => {
        const blob = sealCreationBlob(publicKey, {
          ...bundle,
          sourceChainId: 84532,
          bridge: BRIDGE,
          user: USER,
          params: PARAMS,
          createdAt: 1_700_000_000,
        })
        const call = createIntentCall(PARAMS, blob)
        expect(blobBehind(call)).toBe(blob)
        const opened = await enclave.openBlob({
          blob: blobBehind(call),
          expected: {
            sourceChainId: 84532,
            bridge: BRIDGE,
            user: USER,
            intentId: 3n,
            paramsHash: paramsHash({ chainId: 84532, bridge: BRIDGE, user: USER, ...PARAMS }),
          },
        })
        expect(opened).toMatchObject({ ok: true, contents: { ...bundle, n: 0, registered: [] } })
      }),
      { seed: 6, numRuns: 15 },
    )
  })

  it('has a length that depends only on the class of recipients', () => {
    const lengthOf = (count: number, one: bigint) => {
      const recipients = Array<Hex>(count).fill(USER)
      const blob = sealCreationBlob(publicKey, {
        recipients,
        amounts: recipients.map(() => one),
        sourceChainId: 84532,
        bridge: BRIDGE,
        user: USER,
        params: PARAMS,
        createdAt: 1_700_000_000,
      })
      expect(blobBehind(createIntentCall(PARAMS, blob))).toBe(blob)
      return (blob.length - 2) / 2
    }
    expect([lengthOf(1, 1n), lengthOf(8, 2n ** 95n)]).toEqual([512, 512])
    expect(lengthOf(9, 1n)).toBe(lengthOf(16, 2n ** 95n))
    expect(lengthOf(200, 2n ** 80n)).toBeLessThanOrEqual(16_384)
    expect(() => lengthOf(201, 1n)).toThrow(RangeError)
  })

  // An order's ciphertext is in the event of its funding.
  it.each<[string, (recipients: Hex[], one: bigint) => Hex]>([
    [
      'an order',
      (recipients, one) => sealOrder(publicKey, orderOf(recipients, one, one > 1n)).encrypted,
    ],
    [
      'a bundle',
      (recipients, one) => {
        const sender = one > 1n ? { sender: USER, intentId: one, salt: pad(USER), n: 9 } : {}
        return sealBundle(publicKey, { recipients, amounts: recipients.map(() => one), ...sender })
      },
    ],
  ])('in a ciphertext too: %s', (_, seal) => {
    const lengthOf = (count: number, one: bigint) => seal(Array<Hex>(count).fill(USER), one).length
    const most = 2n ** 88n - 1n
    for (const [fewest, largest] of [
      [1, 1],
      [3, 4],
      [5, 8],
      [129, 200],
    ] as const)
      expect(lengthOf(fewest, 1n)).toBe(lengthOf(largest, most))
    expect(lengthOf(5, 1n)).toBeGreaterThan(lengthOf(4, 1n))
    // The order service's limit.
    expect(lengthOf(200, most)).toBeLessThan(62_000)
  })

  it('in a form that the enclave reads: an order', async () => {
    const order = orderOf([USER, BRIDGE], 7n, false)
    const key = secp256k1.utils.randomSecretKey()
    const { encrypted } = sealOrder(bytesToHex(secp256k1.getPublicKey(key, false)), order)
    const plaintext = decrypt(key, hexToBytes(encrypted))
    expect(parseSubmission(plaintext, 0)).toEqual({ ok: true, submission: order })
  })
})

/** @param isLong whether its numbers have as many digits as they may */
function orderOf(recipients: Hex[], one: bigint, isLong: boolean) {
  const seconds = isLong ? 4_294_967_294 : 5
  const total = isLong ? 2n ** 96n - 1n : 9n
  return {
    ...{ user: USER, assetIn: PARAMS.tokenA, assetOut: PARAMS.tokenB },
    ...(isLong
      ? { chainIn: 'ethereum_mainnet', chainOut: 'optimism_mainnet' }
      : { chainIn: 'base_mainnet', chainOut: 'rari_mainnet' }),
    ...(isLong
      ? { sourceChainId: 1918988905, destChainId: 1380012617 }
      : { sourceChainId: 8453, destChainId: 1380012617 }),
    ...{ totalAmountIn: total, amountPerPeriod: total },
    ...{ period: seconds, startTime: seconds, endTime: seconds + 1 },
    ...{ recipients, amounts: recipients.map(() => one) },
  }
}
