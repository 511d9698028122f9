import { hashMessage } from 'viem'
import { signerOf } from '../../../core/bundle/signerOf.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { OrdersContext, ServedChain } from '../ordersContext.ts'
import { gasNotPaid, onVault } from './fundingProblem.ts'

/** Gas that an owner's contract may take to accept a signature: a Safe of a dozen owners takes less. */
const SIGNATURE_GAS = 150_000

type SignedFunding = {
  to: Hex
  data: Hex
  deadline: number
  owner: Hex
  message: string
  signature: Hex
  /** That a funding of this size takes. */
  gas: number
}

/**
 * The gas limit of a funding; null where the owner signed by its key, and it is estimated as any call's. Where
 * the owner is a contract, the vault runs its code: that could take all that a transaction may, and less when
 * it is tried than in its block.
 *
 * @throws OrderError when it takes more already
 */
export async function fundingGasLimit(
  { account }: Pick<OrdersContext, 'account'>,
  { client }: Pick<ServedChain, 'client'>,
  { to, data, deadline, owner, message, signature, gas }: SignedFunding,
): Promise<bigint | null> {
  if (signerOf(hashMessage(message), signature) === owner.toLowerCase()) return null
  const most = BigInt(Math.ceil(gas * 1.25) + SIGNATURE_GAS)
  const taken = await onVault(() => client.estimateGas({ account, to, data }))
  if (taken > most) throw gasNotPaid('signature_too_dear', { to, data, deadline })
  return most
}
