import { parseChainId } from '../chain/parseChainId.ts'
import type { BridgeEvent, BridgeEventOf } from '../event/bridgeEvent.ts'
import { historyIncomplete } from './projectionError.ts'
import { amendRow, insertRow, updateRow } from './rowChange.ts'
import { type Asking, find } from './rowReader.ts'
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
export function* projectAdministration(
  event: BridgeEvent,
  changed: Partial<BridgeRow>,
): Asking<Change> {
  const { chainId } = event.point
  const bridge = yield* find('bridge', { chainId })
  if (!bridge) throw historyIncomplete(event, 'its bridge')
  return updateRow('bridge', bridge, { ...bridge, ...changed })
}

/** Writes of `TokenListed`, also when it changes the limits or the quorum of a listed token. */
export function projectTokenListed({ args, point }: BridgeEventOf<'TokenListed'>): Asking<Change> {
  const row = { chainId: point.chainId, ...args, listed: true }
  return amendRow('bridgeToken', row, () => row)
}

/** Writes of `TokenDelisted`: the limits stay as they last were. */
export function projectTokenDelisted({
  args,
  point,
}: BridgeEventOf<'TokenDelisted'>): Asking<Change> {
  const blank = {
    chainId: point.chainId,
    token: args.token,
    minAmount: 0n,
    maxAmount: 0n,
    quorum: 0,
    listed: false,
  }
  return amendRow('bridgeToken', blank, (row) => ({ ...row, listed: false }))
}

/** Writes of `DestinationListed` and `DestinationDelisted`; none for an id that no chain can have. */
export function* projectDestination(
  { args, point }: BridgeEventOf<'DestinationListed'> | BridgeEventOf<'DestinationDelisted'>,
  listed: boolean,
): Asking<Change[]> {
  const destChainId = parseChainId(args.destChainId)
  if (destChainId === null) return []
  const row = { chainId: point.chainId, destChainId, listed }
  return [yield* amendRow('bridgeDestination', row, () => row)]
}

/** Writes of `PeripheryListed` and `PeripheryDelisted`. */
export function projectPeriphery(
  { args, point }: BridgeEventOf<'PeripheryListed'> | BridgeEventOf<'PeripheryDelisted'>,
  listed: boolean,
): Asking<Change> {
  const row = { chainId: point.chainId, periphery: args.periphery, listed }
  return amendRow('bridgePeriphery', row, () => row)
}
