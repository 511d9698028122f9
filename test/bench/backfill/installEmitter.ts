import {
  type AbiItem,
  encodeFunctionResult,
  type Hex,
  numberToHex,
  pad,
  toEventSelector,
  toFunctionSelector,
} from 'viem'
import { enclaveKeyRegistryAbi } from '../../../core/abi/enclaveKeyRegistry.ts'
import { packIntentId } from '../../../core/intent/intentId.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { buildAnswerCode, buildEmitterCode, type PlannedLog } from './emitterCode.ts'

type Call = (method: string, ...params: unknown[]) => Promise<unknown>

const registry = `0x${'c4'.repeat(20)}` as const
const created = toEventSelector(itemOf('IntentCreated') as never)

/**
 * Installs an emitter that the indexer accepts as a bridge: it has a bridge's selectors and topics, and answers what the
 * indexer reads before it starts, and the count of intents.
 */
export async function installEmitter(call: Call, bridge: Hex, chainId: number): Promise<void> {
  const names = (bridgeIntentV2Abi as readonly AbiItem[]).flatMap((item) => {
    if (item.type === 'function') return [toFunctionSelector(item).slice(2)]
    return item.type === 'event' ? [toEventSelector(item).slice(2)] : []
  })
  await call('anvil_setCode', bridge, `${buildEmitterCode({ answers: true })}00${names.join('')}`)
  await setAnswer(call, bridge, 'REGISTRY', registry)
  const domain = encodeFunctionResult({
    abi: enclaveKeyRegistryAbi,
    functionName: 'eip712Domain',
    result: ['0x0f', 'EnclaveKeyRegistry', '1', BigInt(chainId), registry, pad('0x'), []],
  })
  await call('anvil_setCode', registry, buildAnswerCode(domain))
}

/** Sets the bridge's count of intents for the logs of a block, once it is mined. */
export function setCreationCount(call: Call, bridge: Hex, chainId: number) {
  let count = 0n
  return async (logs: readonly PlannedLog[]): Promise<void> => {
    const before = count
    for (const { topics } of logs) if (topics[0] === created) count += 1n
    if (count === before) return
    await setAnswer(call, bridge, 'getLatestIntentId', numberToHex(packIntentId(chainId, count)))
  }
}

/** Names the slot by its selector, as the emitter looks it up. */
function setAnswer(call: Call, bridge: Hex, name: string, value: Hex): Promise<unknown> {
  const slot = numberToHex(BigInt(toFunctionSelector(itemOf(name) as never)), { size: 32 })
  return call('anvil_setStorageAt', bridge, slot, pad(value))
}

function itemOf(name: string): AbiItem | undefined {
  return (bridgeIntentV2Abi as readonly AbiItem[]).find(
    (item) => 'name' in item && item.name === name,
  )
}
