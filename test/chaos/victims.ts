import type { DevnetRole } from '../../services/devnet/devnetOptions.ts'

/** Who is killed: each of our programs, and one of the Ponder processes that the indexer looks after. */
export const VICTIMS = [
  'enclave',
  'indexer',
  'ponder',
  'reactions',
  'api',
  'solver-1',
  'solver-2',
] as const satisfies readonly (DevnetRole | 'ponder')[]

export type Victim = (typeof VICTIMS)[number]
