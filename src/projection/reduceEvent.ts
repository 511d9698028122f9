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
import type { Read } from './rowReader.ts'
import type { EventRow } from './rowTypes.ts'
import type { Change } from './rowWrite.ts'
import { updateEscrow } from './updateEscrow.ts'

/** The reducer: all writes of one event, its own append-only row first. */
export function reduceEvent(read: Read, event: ChainEvent): Change[] {
  const written = insertRow('event', eventRow(read, event))
  return [written, ...consequences(read, event)]
}

/** A refused transfer is the delivery's, and so its intent's; its event names the delivery alone. */
function eventRow(read: Read, event: ChainEvent): EventRow {
  const delivery = event.type === 'DeliveryCredited' ? creditedDelivery(read, event) : null
  return delivery ? toEventRow(event, delivery) : toEventRow(event)
}

function consequences(read: Read, event: ChainEvent): Change[] {
  switch (event.type) {
    case 'IntentCreated':
      return projectCreated(read, event)
    case 'IntentAnchored':
    case 'BlobAppended':
    case 'RecipientsAsked':
    case 'RecipientsRevealed':
      return projectIntentAlone(read, event)
    case 'BidPlaced':
      return projectBid(read, event)
    case 'SolverDeposited':
      return projectDeposited(read, event)
    case 'BidForfeited':
      return projectForfeited(read, event)
    case 'IntentSolved':
      return projectDelivery(read, event)
    case 'DeliveryCredited':
      return projectDeliveryCredited(read, event)
    case 'IntentSettled':
      return projectSettled(read, event)
    case 'IntentCancelled':
      return projectCancelled(read, event)
    case 'IntentRefunded':
      return projectRefunded(read, event)
    case 'OrderFunded':
    case 'TrancheFired':
    case 'OrderClosed':
    case 'VaultCreditAdded':
    case 'VaultCreditClaimed':
      return projectVault(read, event)
    default:
      return moneyConsequences(read, event)
  }
}

/** Consequences of the events that are about money and no intent. */
function moneyConsequences(read: Read, event: BridgeEvent): Change[] {
  const { chainId } = event.point
  switch (event.type) {
    case 'StakeAdded':
      return projectStake(read, event, 1n)
    case 'StakeRemoved':
      return projectStake(read, event, -1n)
    case 'SealingKeySet':
      return projectSealingKey(read, event)
    case 'DeliveryClaimed':
      return [
        updateEscrow(read, chainId, event.args.token, { deliveryCredits: -event.args.amount }),
      ]
    case 'CreditAdded':
      return [updateEscrow(read, chainId, event.args.token, { credits: event.args.amount })]
    case 'CreditClaimed':
      return [updateEscrow(read, chainId, event.args.token, { credits: -event.args.amount })]
    case 'FeesCollected':
      return [updateEscrow(read, chainId, event.args.token, { fees: -event.args.amount })]
    default:
      return bridgeConsequences(read, event)
  }
}

/** Consequences of the events about the bridge itself. */
function bridgeConsequences(read: Read, event: BridgeEvent): Change[] {
  switch (event.type) {
    case 'BridgeDeployed':
      return [projectDeployed(event)]
    case 'ChangeAnnounced':
      return [projectAnnounced(read, event)]
    case 'ChangeWithdrawn':
      return projectWithdrawn(read, event)
    case 'TokenListed':
      return [projectTokenListed(read, event), ...projectEnacted(read, event)]
    case 'TokenDelisted':
      return [projectTokenDelisted(read, event)]
    case 'DestinationListed':
      return [...projectDestination(read, event, true), ...projectEnacted(read, event)]
    case 'DestinationDelisted':
      return projectDestination(read, event, false)
    case 'PeripheryListed':
      return [projectPeriphery(read, event, true), ...projectEnacted(read, event)]
    case 'PeripheryDelisted':
      return [projectPeriphery(read, event, false)]
    case 'TreasuryChanged':
      return [
        projectAdministration(read, event, { treasury: event.args.current }),
        ...projectEnacted(read, event),
      ]
    case 'CreationPaused':
      return [projectAdministration(read, event, { creationPaused: true })]
    case 'CreationResumed':
      return [projectAdministration(read, event, { creationPaused: false })]
    default:
      return []
  }
}
