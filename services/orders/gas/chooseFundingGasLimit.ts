import { hashMessage } from 'viem'
import { recoverSigner } from '../../../core/recipientBundle/recoverSigner.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { createGasNotPaidError } from '../execution/fundingErrors.ts'
import { queryVault } from '../execution/queryVault.ts'
import type { OrdersContext, ServedChain } from '../ordersContext.ts'

/** Gas that an owner's contract may use to check a signature: a Safe with a dozen owners uses less. */
const SIGNATURE_GAS = 150_000

type SignedFunding = {
  to: Hex
  data: Hex
  deadline: number
  owner: Hex
  message: string
  signature: Hex
  /** Gas of a funding of this size. */
  gas: number
}

/**
 * The gas limit of a funding. Null when the owner signed with a key: the call is then estimated like any other.
 * A contract owner's code could use a whole transaction's gas, and more in the block than in the estimate.
 *
 * @throws OrderError when the estimate exceeds the limit
 */
export async function chooseFundingGasLimit(
  { account }: Pick<OrdersContext, 'account'>,
  chain: Pick<ServedChain, 'nodes'>,
  { to, data, deadline, owner, message, signature, gas }: SignedFunding,
): Promise<bigint | null> {
  if (recoverSigner(hashMessage(message), signature) === owner.toLowerCase()) return null
  const limit = BigInt(Math.ceil(gas * 1.25) + SIGNATURE_GAS)
  const isTooExpensive = await queryVault(
    chain,
    async (client) => (await client.estimateGas({ account, to, data })) > limit,
    String,
  )
  if (isTooExpensive) throw createGasNotPaidError('SIGNATURE_TOO_DEAR', { to, data, deadline })
  return limit
}
