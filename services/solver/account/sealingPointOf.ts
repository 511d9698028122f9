import { hexToBigInt, sliceHex } from 'viem'
import type { SealingPoint } from '../chain/readFunds.ts'
import type { SolverAccount } from './solverAccount.ts'

/** The account's public key as the bridge stores it. */
export function sealingPointOf({ publicKey }: Pick<SolverAccount, 'publicKey'>): SealingPoint {
  return {
    x: hexToBigInt(sliceHex(publicKey, 1, 33)),
    y: hexToBigInt(sliceHex(publicKey, 33, 65)),
  }
}
