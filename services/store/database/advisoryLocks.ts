/**
 * Numbers of PostgreSQL's advisory locks, all in one place, because two kinds with one number would
 * block each other. The classes take a second number, which distinguishes holders of one kind.
 */
export const ADVISORY_LOCKS = {
  /** Migrations of schema `app`. */
  migration: 4848203718,
  /** The swap of the views that readers see. */
  viewSwap: 4848203720,
  /** Writers of the journal of events. */
  journal: 4848203721,
} as const

/** The first of the two numbers of a lock. */
export const ADVISORY_LOCK_CLASSES = {
  /** Supervisors of the indexer, by the schema that they feed. */
  indexer: 4848203,
  /** Who sends for an account of a chain. */
  sender: 484820372,
  /** What the relayer pays on a chain for Safes' owners. */
  sponsoring: 484820373,
  /** Who follows the transfers of the Safes of a chain. */
  transfers: 484820379,
  /** Who is the solver of an account. */
  solver: 484820380,
  /** Gas that the orders service pays for an owner's calls. */
  ownersGas: 484820381,
  /** Gas that it pays on a chain without a fee, over all owners. */
  gasWithoutFee: 484820382,
} as const
