/**
 * What the project's files import from 'ponder' inside Ponder: tables without indexes, which the supervisor creates and
 * keeps (createIndexes.ts).
 */
export { createConfig, onchainTable, primaryKey } from '../ponderConfigExports.ts'

/** Not an index, so that Ponder ignores it. */
export function index() {
  return { on: () => ({}), using: () => ({}) }
}
