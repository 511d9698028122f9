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
  /** Gas that a funding of this size takes. */
  gas: number
}

/**
 * The gas limit of a funding. Null when the owner signed with a key: the call is then estimated like any other.
 * When the owner is a contract, the vault runs its code, which could use a whole transaction's gas, and less in
 * the estimate than in the block.
 *
 * @throws OrderError when it takes more already
 */
export async function fundingGasLimit(
  { account }: Pick<OrdersContext, 'account'>,
  chain: Pick<ServedChain, 'nodes'>,
  { to, data, deadline, owner, message, signature, gas }: SignedFunding,
): Promise<bigint | null> {
  if (signerOf(hashMessage(message), signature) === owner.toLowerCase()) return null
  const most = BigInt(Math.ceil(gas * 1.25) + SIGNATURE_GAS)
  const isTooDear = await onVault(
    chain,
    async (client) => (await client.estimateGas({ account, to, data })) > most,
    String,
  )
  if (isTooDear) throw gasNotPaid('SIGNATURE_TOO_DEAR', { to, data, deadline })
  return most
}
