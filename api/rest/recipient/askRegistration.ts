import type { ResponseOf } from '../../../services/enclave/enclaveInterface.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Believed } from './contractWallets.ts'
import type { RecipientContext } from './recipientContext.ts'
import { recipientFailure } from './recipientFailure.ts'
import { walletChains } from './recipientInputs.ts'

/**
 * Asks the enclave for a wallet's registration, as a key and, if it isn't one, as a contract.
 *
 * @param client whose rate is charged
 * @returns none when the signature isn't the wallet's
 * @throws ApiError
 */
export function askRegistration(
  context: RecipientContext,
  client: string,
  given: { recipientAddress: Hex; signature: Hex; walletChainId?: number | undefined },
): Promise<Believed<ResponseOf<'registerRecipient'>>[]> {
  const { recipientAddress, signature, walletChainId } = given
  const claim = {
    ...{ wallet: recipientAddress.toLowerCase() as Hex, signature, client },
    chains: walletChains(context, walletChainId),
    ask: (contractOn: number | undefined) =>
      context.enclave.registerRecipient({ recipientAddress, signature, contractOn }),
  }
  return context.contracts.believe(claim).catch(recipientFailure)
}
