import { encodeFunctionData, type PublicClient } from 'viem'
import { predictSafe } from '../../../../core/safe/predictSafe.ts'
import { safeProxyFactoryAbi } from '../../../../core/safe/safeAbi.ts'
import { findTransaction } from '../../../chain/transactions/findTransaction.ts'
import { majority } from '../../../chain/transactions/majority.ts'
import type { StealthEntry } from '../entries/stealthEntry.ts'
import { requirePaid } from './requirePaid.ts'
import { sponsor } from './sponsor.ts'
import { cameToNothing } from './sponsored.ts'
import type { Asker, Sponsorship } from './sponsorship.ts'
import { tryCall } from './tryCall.ts'

/**
 * Requests the deployment of a Safe at the relayer's cost, once, if it has received a delivery.
 *
 * @returns the transaction's id; null when somebody else has deployed the Safe
 * @throws SponsorError; what keeps the chain's nodes from answering
 */
export async function requestDeployment(
  sponsorship: Sponsorship,
  asker: Asker,
  { stealthAddress, safeAddress, intentId }: StealthEntry,
): Promise<number | null> {
  const { db, nodes, chainId, contracts } = sponsorship
  const known = await findTransaction(db, { kind: 'deploySafe', chainId, effect: safeAddress })
  if (known && !cameToNothing(known)) return known.id
  // Where two nodes differ it isn't there: trying the deployment shows whether it is needed.
  const isThere = async () => {
    const codeAt = async (client: Pick<PublicClient, 'getCode'>) =>
      ((await client.getCode({ address: safeAddress })) ?? '0x') !== '0x'
    return majority(await nodes.askAll(codeAt, String), String) ?? false
  }
  if (await isThere()) return null
  asker.take(safeAddress)
  await requirePaid(sponsorship, safeAddress)
  const { initializer, saltNonce } = predictSafe(stealthAddress, chainId, contracts)
  const data = encodeFunctionData({
    abi: safeProxyFactoryAbi,
    functionName: 'createProxyWithNonce',
    args: [contracts.singleton, initializer, saltNonce],
  })
  const to = contracts.proxyFactory
  const gas = await tryCall(sponsorship, to, data).catch(async (error: unknown) => {
    // Somebody may just have been faster.
    if (await isThere()) return null
    throw error
  })
  if (gas === null) return null
  // The Safes of a large intent take separate turns, so that they delay no other transaction.
  const payer = `intent ${intentId}`
  return sponsor(sponsorship, asker, {
    ...{ kind: 'deploySafe', effect: safeAddress, safeAddress, to, data, gas, payer },
  })
}
