import { parseChainId } from '../chain/parseChainId.ts'
import type { BridgeEvent, BridgeEventOf } from '../event/bridgeEvent.ts'
import { historyIncomplete } from './projectionError.ts'
import { amendRow, insertRow, putRow, updateRow } from './rowChange.ts'
import { find, type Read } from './rowReader.ts'
import type { BridgeRow } from './rowTypes.ts'
import type { Change } from './rowWrite.ts'

/** Writes of `BridgeDeployed`: the bridge and its terms. */
export function projectDeployed({ address, args, point }: BridgeEventOf<'BridgeDeployed'>): Change {
  return insertRow('bridge', {
    chainId: point.chainId,
    address,
    ...args,
    creationPaused: false,
    deployedBlock: point.blockNumber,
  })
}

/** Writes of an event that changes who runs the bridge or whether it takes intents. */
export function projectAdministration(
  read: Read,
  event: BridgeEvent,
  changed: Partial<BridgeRow>,
): Change {
  const { chainId } = event.point
  const bridge = find(read, 'bridge', { chainId })
  if (!bridge) throw historyIncomplete(event, 'its bridge')
  return updateRow('bridge', bridge, { ...bridge, ...changed })
}

/** Writes of `TokenListed`, also when it changes the limits or the quorum of a listed token. */
export function projectTokenListed(
  read: Read,
  { args, point }: BridgeEventOf<'TokenListed'>,
): Change {
  const row = { chainId: point.chainId, ...args, listed: true }
  return putRow(read, 'bridgeToken', row)
}

/** Writes of `TokenDelisted`: the limits stay as they last were. */
export function projectTokenDelisted(
  read: Read,
  { args, point }: BridgeEventOf<'TokenDelisted'>,
): Change {
  const key = { chainId: point.chainId, token: args.token }
  const unlisted = { minAmount: 0n, maxAmount: 0n, quorum: 0, listed: false }
  return amendRow(read, 'bridgeToken', key, unlisted, (row) => ({ ...row, listed: false }))
}

/** Writes of `DestinationListed` and `DestinationDelisted`; none for an id that no chain can have. */
export function projectDestination(
  read: Read,
  { args, point }: BridgeEventOf<'DestinationListed'> | BridgeEventOf<'DestinationDelisted'>,
  listed: boolean,
): Change[] {
  const destChainId = parseChainId(args.destChainId)
  if (destChainId === null) return []
  const row = { chainId: point.chainId, destChainId, listed }
  return [putRow(read, 'bridgeDestination', row)]
}

/** Writes of `PeripheryListed` and `PeripheryDelisted`. */
export function projectPeriphery(
  read: Read,
  { args, point }: BridgeEventOf<'PeripheryListed'> | BridgeEventOf<'PeripheryDelisted'>,
  listed: boolean,
): Change {
  const row = { chainId: point.chainId, periphery: args.periphery, listed }
  return putRow(read, 'bridgePeriphery', row)
}
