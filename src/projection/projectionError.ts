import type { ChainEvent } from '../event/chainEvent.ts'
import { isVaultEvent } from '../event/eventFields.ts'

/**
 * The history handed to the reducer has a hole: a row that an earlier event must have written is
 * not there. No user can cause it; a start block after the bridge's deployment does.
 */
export class ProjectionError extends Error {
  readonly code = 'HISTORY_INCOMPLETE'
  override readonly name = 'ProjectionError'
}

/** What to say of an event that needs a row which isn't there. */
export function historyIncomplete({ type, point }: ChainEvent, missing: string): ProjectionError {
  const reason = isVaultEvent(type) ? NO_VAULT_OF_THE_BRIDGE : STARTED_TOO_LATE
  return new ProjectionError(
    `${type} in block ${point.blockNumber} of chain ${point.chainId}, but ${missing} is unknown: ${reason}`,
  )
}

const STARTED_TOO_LATE =
  "the chain's start block must not be after the block of the bridge's deployment"
const NO_VAULT_OF_THE_BRIDGE = `${STARTED_TOO_LATE}, and its vault must be the one that uses its bridge`
