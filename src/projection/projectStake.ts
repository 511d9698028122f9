import { pad, toHex } from 'viem'
import type { BridgeEventOf, Hex } from '../event/bridgeEvent.ts'
import { insertRow } from './rowChange.ts'
import type { Asking } from './rowReader.ts'
import type { Change } from './rowWrite.ts'
import { updateEscrow } from './updateEscrow.ts'
import { amendStake, seeSolver } from './updateSolverRecord.ts'

/** Writes of `StakeAdded` and `StakeRemoved`: solver and stake, and what the bridge holds of the token. */
export function* projectStake(
  { args, point }: BridgeEventOf<'StakeAdded'> | BridgeEventOf<'StakeRemoved'>,
  sign: 1n | -1n,
): Asking<Change[]> {
  const { chainId } = point
  const { solver, token } = args
  const amount = sign * args.amount
  return [
    yield* seeSolver(solver, point),
    yield* amendStake({ chainId, solver, token }, { staked: amount }),
    yield* updateEscrow(chainId, token, { stakes: amount }),
  ]
}

/** Writes of `SealingKeySet`, which happens once for a solver. */
export function* projectSealingKey({
  args,
  point,
}: BridgeEventOf<'SealingKeySet'>): Asking<Change[]> {
  const key = insertRow('sealingKey', {
    chainId: point.chainId,
    solver: args.solver,
    publicKey: `0x04${coordinate(args.x)}${coordinate(args.y)}` as Hex,
    setAt: point.blockTimestamp,
    setTxHash: point.transactionHash,
  })
  return [key, yield* seeSolver(args.solver, point)]
}

function coordinate(value: bigint): string {
  return pad(toHex(value), { size: 32 }).slice(2)
}
