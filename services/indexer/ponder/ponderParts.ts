/**
 * What the project's files have from 'ponder', and nothing else of it: all of Ponder would load GraphQL and a
 * server too, 700 modules.
 */
const entry = import.meta.resolve('ponder')
const [tables, configuration] = await Promise.all([
  import(new URL('drizzle/onchain.js', entry).href),
  import(new URL('config/index.js', entry).href),
]).catch(async () => {
  const all = await import('ponder')
  return [all, all]
})

export { index } from 'drizzle-orm/pg-core'
export const { onchainTable, primaryKey }: typeof import('ponder') = tables
export const { createConfig }: typeof import('ponder') = configuration
