import { type AbiEvent, encodeAbiParameters, encodeEventTopics } from 'viem'
import type { BridgeEvent, Hex } from '../../../src/event/bridgeEvent.ts'
import type { RawLog } from '../../../src/event/decodeLog.ts'
import { EVENT_ABI } from '../../../src/event/eventFields.ts'

/** The log that the contract writes for an event. */
export function encodeLog({ type, address, args }: BridgeEvent): RawLog {
  const event = EVENT_ABI.find(({ name }) => name === type) as AbiEvent
  const values = args as Record<string, unknown>
  const plain = event.inputs.filter(({ indexed }) => !indexed)
  const data = encodeAbiParameters(
    plain,
    plain.map(({ name }) => values[name ?? '']),
  )
  const topics = encodeEventTopics({ abi: [event], args: values } as never)
  return { address, topics: topics as Hex[], data }
}
