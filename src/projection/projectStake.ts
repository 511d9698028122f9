import { pad, toHex } from 'viem'
import type { BridgeEventOf, Hex } from '../event/bridgeEvent.ts'
import { insertRow } from './rowChange.ts'
import type { Read } from './rowReader.ts'
import type { Change } from './rowWrite.ts'
import { updateEscrow } from './updateEscrow.ts'
import { amendStake, seeSolver } from './updateSolverRecord.ts'

/** Writes of `StakeAdded` and `StakeRemoved`: solver and stake, and what the bridge holds of the token. */
export function projectStake(
  read: Read,
  { args, point }: BridgeEventOf<'StakeAdded'> | BridgeEventOf<'StakeRemoved'>,
  sign: 1n | -1n,
): Change[] {
  const { chainId } = point
  const { solver, token } = args
  const amount = sign * args.amount
  return [
    seeSolver(read, solver, point),
    amendStake(read, { chainId, solver, token }, { staked: amount }),
    updateEscrow(read, chainId, token, { stakes: amount }),
  ]
}

/** Writes of `SealingKeySet`, which happens once for a solver. */
export function projectSealingKey(
  read: Read,
  { args, point }: BridgeEventOf<'SealingKeySet'>,
): Change[] {
  const key = insertRow('sealingKey', {
    chainId: point.chainId,
    solver: args.solver,
    publicKey: `0x04${coordinate(args.x)}${coordinate(args.y)}` as Hex,
    setAt: point.blockTimestamp,
    setTxHash: point.transactionHash,
  })
  return [key, seeSolver(read, args.solver, point)]
}

function coordinate(value: bigint): string {
  return pad(toHex(value), { size: 32 }).slice(2)
}
