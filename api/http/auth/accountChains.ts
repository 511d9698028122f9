import { hashMessage } from 'viem'
import type { chainClient } from '../../../services/chain/chainClient.ts'
import type { ChainConfig } from '../../../services/config/chains.ts'
import { rpcContractSigners } from '../../../services/enclave/accounts/contractSigners.ts'
import { enclaveChains } from '../../../services/enclave/chains.ts'
import type { AccountChain } from './isSignedBy.ts'

/** Chains on which accounts that sign may be contracts; null for one that isn't configured. */
export type AccountChains = (chainId: number) => AccountChain | null

/**
 * What a contract accepts is for as many of its chain's providers to say as the enclave would ask, and for none
 * to deny: by the word of one, any signature would be that of any account, and recipients anybody's to replace.
 *
 * @param clientOf asks whether there is a contract at all
 */
export function accountChains(
  configured: readonly ChainConfig[],
  clientOf: (chainId: number) => Pick<ReturnType<typeof chainClient>, 'getCode'> | null,
): AccountChains {
  const accepts = rpcContractSigners(enclaveChains(configured))
  return (chainId) => {
    const client = clientOf(chainId)
    if (client === null) return null
    return {
      getCode: (at) => client.getCode(at),
      verifyMessage: ({ address, message, signature }) =>
        accepts(chainId, { wallet: address, hash: hashMessage(message), signature }),
    }
  }
}
