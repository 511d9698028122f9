/**
 * What the project's files import from 'ponder', and nothing else: all of Ponder would load another 700 modules, a
 * server and GraphQL among them.
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
