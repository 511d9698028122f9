import { ponder } from 'ponder:registry'
import { event as eventTable, intent as intentTable } from 'ponder:schema'
import { bridgeIntentV2Abi } from '../../../../../src/event/abi/bridgeIntentV2.ts'

const names = bridgeIntentV2Abi.filter((item) => item.type === 'event').map(({ name }) => name)

for (const type of names) {
  ponder.on(`BridgeIntentV2:${type}`, async ({ event, context }) => {
    const intentId = event.args?.intentId ?? null
    const { number: blockNumber, timestamp } = event.block
    await context.db.insert(eventTable).values({
      id: event.id,
      type,
      blockNumber,
      timestamp,
      transactionFrom: event.transaction.from,
      intentId,
    })
    await context.db
      .insert(intentTable)
      .values({ id: intentId ?? 0n, events: 1, lastType: type, updatedAt: timestamp })
      .onConflictDoUpdate((row) => ({
        events: row.events + 1,
        lastType: type,
        updatedAt: timestamp,
      }))
  })
}
