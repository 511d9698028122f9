import { hashMessage } from 'viem'
import type { createChainClients } from '../../../services/chain/chainClient.ts'
import type { ChainConfig } from '../../../services/config/chainConfig.ts'
import { createContractSignatureCheck } from '../../../services/enclave/accounts/contractSignatureCheck.ts'
import { toEnclaveChains } from '../../../services/enclave/enclaveChain.ts'
import type { AccountChain } from './isSignedBy.ts'

/** Looks up a chain on which signing accounts may be contracts; null if it isn't configured. */
export type AccountChains = (chainId: number) => AccountChain | null

/**
 * As many providers as the enclave requires must confirm that a contract accepts a signature. A single lying
 * provider could otherwise validate any signature, and so let anyone replace recipients.
 *
 * @param clients used only to check whether the account is a contract
 */
export function createContractSignatureChains(
  configured: readonly ChainConfig[],
  clients: ReturnType<typeof createChainClients>,
): AccountChains {
  const accepts = createContractSignatureCheck(toEnclaveChains(configured))
  return (chainId) => {
    const client = clients.get(chainId)
    if (!client) return null
    return {
      getCode: (at) => client.getCode(at),
      verifyMessage: ({ address, message, signature }) =>
        accepts(chainId, { wallet: address, hash: hashMessage(message), signature }),
    }
  }
}
