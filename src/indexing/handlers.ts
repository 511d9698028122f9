import { ponder } from 'ponder:registry'
import * as tables from 'ponder:schema'
import type { ChainEventType } from '../event/chainEvent.ts'
import { EVENT_TYPES, VAULT_EVENTS } from '../event/eventFields.ts'
import { toChainEvent } from '../event/toChainEvent.ts'
import { projectAsync } from '../projection/projectAsync.ts'
import { createPonderRowReader } from './ponderRowReader.ts'
import type { RowStore } from './rowStore.ts'
import { type PonderEvent, toLogPoint } from './toLogPoint.ts'
import { writePonderRows } from './writePonderRows.ts'

/** What a handler of Ponder's is given, as far as ours look. */
type Occurrence = {
  event: PonderEvent & { log: { address: string }; args: unknown }
  context: { db: unknown; chain: { id: number } }
}

/** Every event of the bridge and of the vault, the same way: decode, project, write. */
function handle(type: ChainEventType): (occurrence: Occurrence) => Promise<void> {
  return async ({ event, context }) => {
    const store = context.db as RowStore
    const chainEvent = toChainEvent({
      type,
      address: event.log.address,
      args: (event.args ?? {}) as Readonly<Record<string, unknown>>,
      point: toLogPoint(event, context.chain.id),
    })
    const changes = await projectAsync(chainEvent, createPonderRowReader(store, tables))
    await writePonderRows(store, tables, changes)
  }
}

for (const type of EVENT_TYPES) ponder.on(`BridgeIntentV2:${type}`, handle(type))
for (const { type, abi } of VAULT_EVENTS) {
  ponder.on(`OrderVault:${abi.name}` as 'OrderVault:OrderFunded', handle(type))
}
