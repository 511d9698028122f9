import fc from 'fast-check'
import { bytesToHex } from 'viem'
import { type BlobPlaintext, ORIGINS } from '../../../core/blob/plaintext.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'

/** Any value of so many bytes. */
export const anyHex = (size: number): fc.Arbitrary<Hex> =>
  fc.uint8Array({ minLength: size, maxLength: size }).map((bytes) => bytesToHex(bytes))

const uint256 = fc.bigInt({ min: 0n, max: (1n << 256n) - 1n })
const natural = fc.nat({ max: Number.MAX_SAFE_INTEGER })
const text = fc.string({ unit: 'binary', maxLength: 12 })

const payments = fc.array(fc.tuple(anyHex(20), uint256), { maxLength: 6 }).map((pairs) => ({
  recipients: pairs.map(([recipient]) => recipient),
  amounts: pairs.map(([, amount]) => amount),
}))

const shielded = fc.record({
  position: fc.nat({ max: 0xff_ff }),
  wallet: anyHex(20),
  index: fc.nat({ max: 0xff_ff }),
})

const required = fc.record({
  sourceChainId: natural,
  bridge: anyHex(20),
  user: anyHex(20),
  paramsHash: anyHex(32),
  createdAt: natural,
  origin: fc.constantFrom(...ORIGINS),
})

const optional = fc.record(
  {
    intentId: uint256,
    metadata: fc.dictionary(text, text, { maxKeys: 5, noNullPrototype: true }),
    viewers: fc.array(anyHex(20), { maxLength: 4 }),
    ciphertext: fc.record({ digest: anyHex(32), ephemeralKeyDigest: anyHex(32) }),
    shielded: fc.array(shielded, { maxLength: 4 }),
  },
  { requiredKeys: [] },
)

/** Any contents that a blob can have, sensible or not. */
export const anyPlaintext: fc.Arbitrary<BlobPlaintext> = fc
  .tuple(required, payments, optional)
  .map((parts) => Object.assign({}, ...parts) as BlobPlaintext)
