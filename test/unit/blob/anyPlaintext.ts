import fc from 'fast-check'
import { bytesToHex } from 'viem'
import type { BlobPlaintext } from '../../../core/recoveryBlob/plaintextFormat.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'

/** Any value of so many bytes. */
const anyHex = (size: number): fc.Arbitrary<Hex> =>
  fc.uint8Array({ minLength: size, maxLength: size }).map((bytes) => bytesToHex(bytes))

const uint256 = fc.bigInt({ min: 0n, max: (1n << 256n) - 1n })
const uint96 = fc.bigInt({ min: 0n, max: (1n << 96n) - 1n })
const natural = fc.nat({ max: Number.MAX_SAFE_INTEGER })
const text = fc.string({ unit: 'binary', maxLength: 12 })

/** What happens to each recipient: paid as it is, or registered as a key or a contract. */
const payments = fc
  .array(fc.tuple(anyHex(20), uint96, fc.constantFrom('plain', 'key', 'contract')), {
    maxLength: 6,
  })
  .map((entries) => ({
    recipients: entries.map(([recipient]) => recipient),
    amounts: entries.map(([, amount]) => amount),
    registered: entries.flatMap(([, , kind], position) =>
      kind === 'plain' ? [] : [{ position, isContract: kind === 'contract' }],
    ),
  }))

const required = fc.record({
  sourceChainId: natural,
  bridge: anyHex(20),
  user: anyHex(20),
  paramsHash: anyHex(32),
  n: natural,
  salt: anyHex(32),
  createdAt: fc.nat({ max: 0xff_ff_ff_ff }),
})

const optional = fc.record(
  {
    intentId: uint256,
    metadata: fc.dictionary(text, text, { maxKeys: 5, noNullPrototype: true }),
    viewers: fc.array(anyHex(20), { maxLength: 4 }),
    signature: anyHex(65),
  },
  { requiredKeys: [] },
)

/** Any contents that a blob can have, sensible or not. */
export const anyPlaintext: fc.Arbitrary<BlobPlaintext> = fc
  .tuple(required, payments, optional)
  .map((parts) => Object.assign({}, ...parts) as BlobPlaintext)
