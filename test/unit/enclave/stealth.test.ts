import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, type Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { beforeAll, describe, expect, test } from 'vitest'
import { deriveKey } from '../../../services/enclave/keys/deriveKey.ts'
import { deriveStealthAddress, deriveStealthKey } from '../../../services/enclave/keys/stealth.ts'
import { loadThirdPartyStealth } from './thirdPartyStealth.ts'

/** A thousand take half a minute: `npm run test:stealth`. */
const CASES = Number(process.env.STEALTH_CASES ?? 120)
const root = new Uint8Array(32).fill(0x5e)

/** Different keys for each case, the same on every run. */
function keysOf(number: number) {
  const [spend, view, ephemeral] = ['spend', 'view', 'ephemeral'].map((name) =>
    deriveKey(root, `${name} ${number}`),
  ) as [Uint8Array, Uint8Array, Uint8Array]
  return { spend, view, ephemeral }
}

const publicOf = (key: Uint8Array, compressed: boolean) => secp256k1.getPublicKey(key, compressed)

describe('stealth addresses', () => {
  let other: Awaited<ReturnType<typeof loadThirdPartyStealth>>
  beforeAll(async () => {
    other = await loadThirdPartyStealth()
  })

  test(
    `are those of another implementation, in ${CASES} cases`,
    () => {
      for (let number = 0; number < CASES; number++) {
        const { spend, view, ephemeral } = keysOf(number)
        // Every mixture of the two forms of a public key comes up.
        const [spendForm, viewForm, ephemeralForm] = [number % 2, number >> 1, number >> 2].map(
          (bits) => bits % 2 === 0,
        ) as [boolean, boolean, boolean]
        const ours = deriveStealthAddress(
          publicOf(spend, spendForm),
          publicOf(view, viewForm),
          ephemeral,
        )

        const meta = `${bytesToHex(publicOf(spend, true))}${bytesToHex(publicOf(view, true)).slice(2)}`
        const theirs = other.generateStealthAddress({
          stealthMetaAddressURI: `st:eth:${meta}`,
          ephemeralPrivateKey: ephemeral,
        })
        expect(ours.stealthAddress).toBe(theirs.stealthAddress.toLowerCase())
        expect(ours.viewTag).toBe(Number(theirs.viewTag))
        expect(ours.ephemeralPubKey).toBe(bytesToHex(publicOf(ephemeral, false)))

        const announced = theirs.ephemeralPublicKey as Hex
        const key = bytesToHex(deriveStealthKey(spend, view, publicOf(ephemeral, ephemeralForm)))
        expect(key).toBe(
          other.computeStealthKey({
            ephemeralPublicKey: announced,
            schemeId: 1,
            spendingPrivateKey: bytesToHex(spend),
            viewingPrivateKey: bytesToHex(view),
          }),
        )
        expect(privateKeyToAddress(key).toLowerCase()).toBe(ours.stealthAddress)
        const isFoundBy = (viewKey: Uint8Array, viewTag: number) =>
          other.checkStealthAddress({
            ephemeralPublicKey: announced,
            schemeId: 1,
            spendingPublicKey: bytesToHex(publicOf(spend, true)),
            userStealthAddress: theirs.stealthAddress,
            viewingPrivateKey: bytesToHex(viewKey),
            viewTag: `0x${viewTag.toString(16).padStart(2, '0')}`,
          })
        expect(isFoundBy(view, ours.viewTag)).toBe(true)
        if (number % 20 > 0) continue
        expect(isFoundBy(view, ours.viewTag ^ 1)).toBe(false)
        expect(isFoundBy(spend, ours.viewTag)).toBe(false)
      }
    },
    60_000 + CASES * 500,
  )
})
