import type { ContractSigners } from './accounts/contractSigners.ts'
import type { EnclaveChain } from './chains.ts'
import type { Ecies } from './ecies/ecies.ts'
import { EnclaveError } from './enclaveError.ts'
import type { Keyring } from './keys/keyring.ts'
import type { Openers } from './openers/createOpeners.ts'
import type { Witnesses } from './settlement/witnesses.ts'

/** What operations work with. Only they see it. */
export type Room = {
  keyring: Keyring
  ecies: Ecies
  /** Threads that open blobs; null: this one does. */
  openers: Openers | null
  chains: ReadonlyMap<number, EnclaveChain>
  witnesses: Witnesses
  contractSigners: ContractSigners
  /** Whether a stealth key leaves only against a fresh challenge. */
  requireChallenge: boolean
  /** Unix seconds. */
  now(): number
}

/** Throws an EnclaveError `CHAIN_NOT_CONFIGURED`. */
export function chainIn(room: Room, chainId: number): EnclaveChain {
  const chain = room.chains.get(chainId)
  if (chain === undefined) throw new EnclaveError('CHAIN_NOT_CONFIGURED')
  return chain
}
