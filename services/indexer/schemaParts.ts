/**
 * What `ponder.schema.ts` has from 'ponder', and nothing else of it: all of Ponder would load GraphQL and a
 * server too, 700 modules.
 */
const entry = import.meta.resolve('ponder')
const ponder: typeof import('ponder') = await import(
  new URL('drizzle/onchain.js', entry).href
).catch(() => import('ponder'))

export { index } from 'drizzle-orm/pg-core'
export const { onchainTable, primaryKey } = ponder
