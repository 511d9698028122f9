import { type AbiEvent, encodeAbiParameters, encodeEventTopics } from 'viem'
import type { BridgeEvent, Hex } from '../../../src/event/bridgeEvent.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'
import { EVENT_ABI, VAULT_EVENTS } from '../../../src/event/eventFields.ts'
import type { RawLog } from '../../../src/event/readLog.ts'
import type { VaultEvent } from '../../../src/event/vaultEvent.ts'

/** The log that a bridge writes for an event. */
export function encodeLog({ type, address, args }: BridgeEvent): RawLog {
  return encode(EVENT_ABI.find(({ name }) => name === type) as AbiEvent, address, args)
}

/** The log that a vault writes for an event. */
export function encodeVaultLog({ type, args }: VaultEvent, vault: Hex): RawLog {
  return encode(VAULT_EVENTS.find((event) => event.type === type)!.abi, vault, args)
}

/** The log of an event of a chain's contracts. */
export function encodeChainLog(event: ChainEvent, vault: Hex): RawLog {
  return 'address' in event ? encodeLog(event) : encodeVaultLog(event, vault)
}

function encode(event: AbiEvent, address: Hex, args: object): RawLog {
  const values = args as Record<string, unknown>
  const plain = event.inputs.filter(({ indexed }) => !indexed)
  const data = encodeAbiParameters(
    plain,
    plain.map(({ name }) => values[name ?? '']),
  )
  const topics = encodeEventTopics({ abi: [event], args: values } as never)
  return { address, topics: topics as Hex[], data }
}
