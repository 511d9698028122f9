import type { BridgeEvent } from '../event/bridgeEvent.ts'
import type { ChainEvent } from '../event/chainEvent.ts'
import { toEventRow } from './eventRow.ts'
import { projectAnnounced, projectEnacted, projectWithdrawn } from './projectAnnouncement.ts'
import {
  projectAdministration,
  projectDeployed,
  projectDestination,
  projectPeriphery,
  projectTokenDelisted,
  projectTokenListed,
} from './projectBridge.ts'
import { creditedDelivery, projectDelivery, projectDeliveryCredited } from './projectDelivery.ts'
import {
  projectBid,
  projectCancelled,
  projectCreated,
  projectDeposited,
  projectForfeited,
  projectIntentAlone,
  projectRefunded,
  projectSettled,
} from './projectIntent.ts'
import { projectVault } from './projectOrder.ts'
import { projectSealingKey, projectStake } from './projectStake.ts'
import { insertRow } from './rowChange.ts'
import type { Asking } from './rowReader.ts'
import type { EventRow } from './rowTypes.ts'
import type { Change } from './rowWrite.ts'
import { updateEscrow } from './updateEscrow.ts'

/** The reducer: all writes of one event, its own append-only row first. */
export function* reduceEvent(event: ChainEvent): Asking<Change[]> {
  const written = insertRow('event', yield* eventRow(event))
  return [written, ...(yield* consequences(event))]
}

/** A refused transfer is the delivery's, and so its intent's; its event names the delivery alone. */
function* eventRow(event: ChainEvent): Asking<EventRow> {
  const delivery = event.type === 'DeliveryCredited' ? yield* creditedDelivery(event) : null
  return delivery ? toEventRow(event, delivery) : toEventRow(event)
}

function consequences(event: ChainEvent): Asking<Change[]> {
  switch (event.type) {
    case 'IntentCreated':
      return projectCreated(event)
    case 'IntentAnchored':
    case 'BlobAppended':
    case 'RecipientsAsked':
    case 'RecipientsRevealed':
      return projectIntentAlone(event)
    case 'BidPlaced':
      return projectBid(event)
    case 'SolverDeposited':
      return projectDeposited(event)
    case 'BidForfeited':
      return projectForfeited(event)
    case 'IntentSolved':
      return projectDelivery(event)
    case 'DeliveryCredited':
      return projectDeliveryCredited(event)
    case 'IntentSettled':
      return projectSettled(event)
    case 'IntentCancelled':
      return projectCancelled(event)
    case 'IntentRefunded':
      return projectRefunded(event)
    case 'OrderFunded':
    case 'TrancheFired':
    case 'OrderClosed':
    case 'VaultCreditAdded':
    case 'VaultCreditClaimed':
      return projectVault(event)
    default:
      return moneyConsequences(event)
  }
}

/** Consequences of the events that are about money and no intent. */
function* moneyConsequences(event: BridgeEvent): Asking<Change[]> {
  const { chainId } = event.point
  switch (event.type) {
    case 'StakeAdded':
      return yield* projectStake(event, 1n)
    case 'StakeRemoved':
      return yield* projectStake(event, -1n)
    case 'SealingKeySet':
      return yield* projectSealingKey(event)
    case 'DeliveryClaimed':
      return [
        yield* updateEscrow(chainId, event.args.token, { deliveryCredits: -event.args.amount }),
      ]
    case 'CreditAdded':
      return [yield* updateEscrow(chainId, event.args.token, { credits: event.args.amount })]
    case 'CreditClaimed':
      return [yield* updateEscrow(chainId, event.args.token, { credits: -event.args.amount })]
    case 'FeesCollected':
      return [yield* updateEscrow(chainId, event.args.token, { fees: -event.args.amount })]
    default:
      return yield* bridgeConsequences(event)
  }
}

/** Consequences of the events about the bridge itself. */
function* bridgeConsequences(event: BridgeEvent): Asking<Change[]> {
  switch (event.type) {
    case 'BridgeDeployed':
      return [projectDeployed(event)]
    case 'ChangeAnnounced':
      return [yield* projectAnnounced(event)]
    case 'ChangeWithdrawn':
      return yield* projectWithdrawn(event)
    case 'TokenListed':
      return [yield* projectTokenListed(event), ...(yield* projectEnacted(event))]
    case 'TokenDelisted':
      return [yield* projectTokenDelisted(event)]
    case 'DestinationListed':
      return [...(yield* projectDestination(event, true)), ...(yield* projectEnacted(event))]
    case 'DestinationDelisted':
      return yield* projectDestination(event, false)
    case 'PeripheryListed':
      return [yield* projectPeriphery(event, true), ...(yield* projectEnacted(event))]
    case 'PeripheryDelisted':
      return [yield* projectPeriphery(event, false)]
    case 'TreasuryChanged':
      return [
        yield* projectAdministration(event, { treasury: event.args.current }),
        ...(yield* projectEnacted(event)),
      ]
    case 'CreationPaused':
      return [yield* projectAdministration(event, { creationPaused: true })]
    case 'CreationResumed':
      return [yield* projectAdministration(event, { creationPaused: false })]
    default:
      return []
  }
}
