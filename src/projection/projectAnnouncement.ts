import { encodeFunctionData, keccak256 } from 'viem'
import { bridgeIntentV2Abi as abi } from '../event/abi/bridgeIntentV2.ts'
import type { BridgeEvent, BridgeEventOf, Hex } from '../event/bridgeEvent.ts'
import { putRow, updateRow } from './rowChange.ts'
import { find, type Read } from './rowReader.ts'
import type { Change } from './rowWrite.ts'

/** Writes of `ChangeAnnounced`. The same change can be announced again once it was enacted or withdrawn. */
export function projectAnnounced(
  read: Read,
  { args, point }: BridgeEventOf<'ChangeAnnounced'>,
): Change {
  const row = {
    chainId: point.chainId,
    changeId: args.changeId,
    change: args.change,
    announcedAt: point.blockTimestamp,
    activeAt: Number(args.activeAt),
    withdrawnAt: null,
    enactedAt: null,
  }
  return putRow(read, 'bridgeAnnouncement', row)
}

/** Writes of `ChangeWithdrawn`. */
export function projectWithdrawn(
  read: Read,
  { args, point }: BridgeEventOf<'ChangeWithdrawn'>,
): Change[] {
  return close(read, point.chainId, args.changeId, { withdrawnAt: point.blockTimestamp })
}

/** What an event enacts, if it was announced: what the constructor lists counts at once and wasn't. */
export function projectEnacted(read: Read, event: BridgeEvent): Change[] {
  const call = enactingCall(event)
  if (!call) return []
  const { chainId, blockTimestamp } = event.point
  return close(read, chainId, keccak256(call), { enactedAt: blockTimestamp })
}

function close(
  read: Read,
  chainId: number,
  changeId: Hex,
  end: { withdrawnAt: number } | { enactedAt: number },
): Change[] {
  const known = find(read, 'bridgeAnnouncement', { chainId, changeId })
  if (!known || known.withdrawnAt !== null || known.enactedAt !== null) return []
  return [updateRow('bridgeAnnouncement', known, { ...known, ...end })]
}

/** The call that caused an event that only an announced change can cause. */
function enactingCall(event: BridgeEvent): Hex | null {
  switch (event.type) {
    case 'TokenListed': {
      const { token, minAmount, maxAmount, quorum } = event.args
      const args = [token, minAmount, maxAmount, quorum] as const
      return encodeFunctionData({ abi, functionName: 'listToken', args })
    }
    case 'DestinationListed': {
      const args = [event.args.destChainId] as const
      return encodeFunctionData({ abi, functionName: 'listDestination', args })
    }
    case 'PeripheryListed': {
      const args = [event.args.periphery] as const
      return encodeFunctionData({ abi, functionName: 'listPeriphery', args })
    }
    case 'TreasuryChanged': {
      const args = [event.args.current] as const
      return encodeFunctionData({ abi, functionName: 'changeTreasury', args })
    }
    default:
      return null
  }
}
