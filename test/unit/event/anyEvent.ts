import fc from 'fast-check'
import type { BridgeEvent, EventType, Hex } from '../../../src/event/bridgeEvent.ts'
import { EVENT_ABI } from '../../../src/event/eventFields.ts'

const anyHex = (bytes: number): fc.Arbitrary<Hex> =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes, size: 'max' })
    .map((array): Hex => `0x${Buffer.from(array).toString('hex')}`)

const anyPoint = fc.record(
  {
    chainId: fc.constantFrom(84532, 2651420),
    blockNumber: fc.nat(),
    blockHash: anyHex(32),
    blockTimestamp: fc.nat(),
    logIndex: fc.nat(10_000),
    transactionHash: anyHex(32),
    transactionFrom: anyHex(20),
  },
  { noNullPrototype: true },
)

function anyValue(solidityType: string): fc.Arbitrary<bigint | number | string> {
  if (solidityType === 'address') return anyHex(20)
  if (solidityType === 'bytes32') return anyHex(32)
  if (solidityType === 'bytes') return fc.integer({ min: 0, max: 600 }).chain(anyHex)
  const bits = Number(/^uint(\d+)$/.exec(solidityType)?.[1])
  if (bits <= 32) return fc.integer({ min: 0, max: 2 ** bits - 1 })
  return fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n })
}

/** Any event with any arguments its Solidity types allow, legal or not. */
export const anyEvent: fc.Arbitrary<BridgeEvent> = fc
  .constantFrom(...EVENT_ABI)
  .chain(({ name, inputs }) =>
    fc.record(
      {
        type: fc.constant<EventType>(name),
        address: anyHex(20),
        point: anyPoint,
        args: fc.record(
          Object.fromEntries(inputs.map((input) => [input.name ?? '', anyValue(input.type)])),
          { noNullPrototype: true },
        ),
      },
      { noNullPrototype: true },
    ),
  )
  .map((event) => event as unknown as BridgeEvent)
