import fc from 'fast-check'
import type { AbiEvent } from 'viem'
import type { BridgeEvent, EventType, Hex } from '../../../src/event/bridgeEvent.ts'
import { EVENT_ABI, VAULT_EVENTS } from '../../../src/event/eventFields.ts'
import type { VaultEvent, VaultEventType } from '../../../src/event/vaultEvent.ts'

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

function anyArgs({ inputs }: AbiEvent): fc.Arbitrary<Record<string, unknown>> {
  return fc.record(
    Object.fromEntries(inputs.map((input) => [input.name ?? '', anyValue(input.type)])),
    { noNullPrototype: true },
  )
}

/** Any event of a bridge with any arguments its Solidity types allow, legal or not. */
export const anyEvent: fc.Arbitrary<BridgeEvent> = fc
  .constantFrom(...EVENT_ABI)
  .chain((abi) =>
    fc.record(
      {
        type: fc.constant<EventType>(abi.name),
        address: anyHex(20),
        point: anyPoint,
        args: anyArgs(abi),
      },
      { noNullPrototype: true },
    ),
  )
  .map((event) => event as unknown as BridgeEvent)

/** The same of a vault. */
export const anyVaultEvent: fc.Arbitrary<VaultEvent> = fc
  .constantFrom(...VAULT_EVENTS)
  .chain(({ type, abi }) =>
    fc.record(
      { type: fc.constant<VaultEventType>(type), point: anyPoint, args: anyArgs(abi) },
      { noNullPrototype: true },
    ),
  )
  .map((event) => event as unknown as VaultEvent)
