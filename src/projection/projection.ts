import type { BridgeEvent } from '../event/bridgeEvent.ts'
import { amendEscrow } from './amendEscrow.ts'
import type { Change } from './change.ts'
import { toEventRow } from './eventRow.ts'
import {
  projectAdministration,
  projectDeployed,
  projectDestination,
  projectTokenDelisted,
  projectTokenListed,
} from './projectBridge.ts'
import { projectDelivery } from './projectDelivery.ts'
import {
  projectBid,
  projectBlob,
  projectCancelled,
  projectCreated,
  projectDeposited,
  projectRefunded,
  projectSettled,
} from './projectIntent.ts'
import type { Asking } from './read.ts'
import { insertRow } from './rowChange.ts'

/** The reducer: all writes of one event, its own append-only row first. */
export function* projection(event: BridgeEvent): Asking<Change[]> {
  const written = insertRow('event', toEventRow(event))
  return [written, ...(yield* consequences(event))]
}

function consequences(event: BridgeEvent): Asking<Change[]> {
  switch (event.type) {
    case 'IntentCreated':
      return projectCreated(event)
    case 'IntentAnchored':
    case 'BlobAppended':
      return projectBlob(event)
    case 'BidPlaced':
      return projectBid(event)
    case 'SolverDeposited':
      return projectDeposited(event)
    case 'IntentSolved':
      return projectDelivery(event)
    case 'IntentSettled':
      return projectSettled(event)
    case 'IntentCancelled':
      return projectCancelled(event)
    case 'IntentRefunded':
      return projectRefunded(event)
    default:
      return bridgeConsequences(event)
  }
}

/** Consequences of the events that are about no intent. */
function* bridgeConsequences(event: BridgeEvent): Asking<Change[]> {
  const { chainId } = event.point
  switch (event.type) {
    case 'BridgeDeployed':
      return [projectDeployed(event)]
    case 'TokenListed':
      return [yield* projectTokenListed(event)]
    case 'TokenDelisted':
      return [yield* projectTokenDelisted(event)]
    case 'DestinationListed':
      return yield* projectDestination(event, true)
    case 'DestinationDelisted':
      return yield* projectDestination(event, false)
    case 'RelayerRotated':
      return [yield* projectAdministration(event, { relayer: event.args.current })]
    case 'TreasuryChanged':
      return [yield* projectAdministration(event, { treasury: event.args.current })]
    case 'CreationPaused':
      return [yield* projectAdministration(event, { creationPaused: true })]
    case 'CreationResumed':
      return [yield* projectAdministration(event, { creationPaused: false })]
    case 'CreditAdded':
      return [yield* amendEscrow(chainId, event.args.token, { credits: event.args.amount })]
    case 'CreditClaimed':
      return [yield* amendEscrow(chainId, event.args.token, { credits: -event.args.amount })]
    case 'FeesCollected':
      return [yield* amendEscrow(chainId, event.args.token, { fees: -event.args.amount })]
    default:
      return []
  }
}
