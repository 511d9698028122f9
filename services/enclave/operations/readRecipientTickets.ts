import type { Tickets } from '../../../core/recipientBundle/findRegisteredRecipients.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { EnclaveChain } from '../enclaveChain.ts'
import { openRegistration, openTicket } from '../keys/sealedRecipientTickets.ts'
import type { OperationContext } from '../operationContext.ts'
import { deriveSafe } from './deriveStealth.ts'

/**
 * Reads the enclave's own tickets about recipients on a chain: which wallets are registered, and which Safes were
 * issued there. Tickets that it didn't seal, or for another chain, don't count.
 */
export function readRecipientTickets(
  context: OperationContext,
  { chainId }: Pick<EnclaveChain, 'chainId'>,
  tickets: readonly Hex[],
): Tickets {
  const { roots } = context.keyring
  const wallets = new Map<Hex, { isContract: boolean }>()
  const safes = new Set<Hex>()
  for (const ticket of tickets) {
    const registered = openRegistration(roots, ticket)
    if (registered !== null) {
      const { recipientAddress, contractOn } = registered
      // A key takes precedence over code at its address.
      if (contractOn === undefined) wallets.set(recipientAddress, { isContract: false })
      else if (contractOn === chainId && !wallets.has(recipientAddress))
        wallets.set(recipientAddress, { isContract: true })
      continue
    }
    const given = openTicket(roots, ticket)
    if (given === null || given.delivery.chainId !== chainId) continue
    safes.add(deriveSafe(context, given.root, given.delivery).safeAddress)
  }
  return { wallets, safes }
}
