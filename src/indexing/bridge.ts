import { ponder } from 'ponder:registry'
import * as tables from 'ponder:schema'
import { EVENT_TYPES } from '../event/eventFields.ts'
import { toBridgeEvent } from '../event/toBridgeEvent.ts'
import { projectAsync } from '../projection/projectAsync.ts'
import { pointOf } from './pointOf.ts'
import { readFrom } from './readFrom.ts'
import type { RowStore } from './rowStore.ts'
import { writeTo } from './writeTo.ts'

/** Every event of the bridge, the same way: decode, project, write. */
for (const type of EVENT_TYPES) {
  ponder.on(`BridgeIntentV2:${type}`, async ({ event, context }) => {
    const store = context.db as unknown as RowStore
    const bridgeEvent = toBridgeEvent({
      type,
      address: event.log.address,
      args: (event.args ?? {}) as Readonly<Record<string, unknown>>,
      point: pointOf(event, context.chain.id),
    })
    const changes = await projectAsync(bridgeEvent, readFrom(store, tables))
    await writeTo(store, tables, changes)
  })
}
