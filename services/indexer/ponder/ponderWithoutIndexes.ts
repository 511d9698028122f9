/**
 * What the project's files have from 'ponder' within a Ponder: its tables without their indexes, which the
 * supervisor makes and keeps (createIndexes.ts).
 */
export { createConfig, onchainTable, primaryKey } from './ponderParts.ts'

/** Something that is no index, for Ponder to pass over. */
export function index() {
  return { on: () => ({}), using: () => ({}) }
}
