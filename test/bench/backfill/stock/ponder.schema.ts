import { onchainTable } from 'ponder'

export const event = onchainTable('event', (t) => ({
  id: t.text().primaryKey(),
  type: t.text().notNull(),
  blockNumber: t.bigint().notNull(),
  timestamp: t.bigint().notNull(),
  transactionFrom: t.hex().notNull(),
  intentId: t.bigint(),
}))

export const intent = onchainTable('intent', (t) => ({
  id: t.bigint().primaryKey(),
  events: t.integer().notNull(),
  lastType: t.text().notNull(),
  updatedAt: t.bigint().notNull(),
}))
