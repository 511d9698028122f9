import { hashMessage } from 'viem'
import type { chainClient } from '../../../services/chain/chainClient.ts'
import type { ChainConfig } from '../../../services/config/chains.ts'
import { rpcContractSigners } from '../../../services/enclave/accounts/contractSigners.ts'
import { enclaveChains } from '../../../services/enclave/enclaveChain.ts'
import type { AccountChain } from './isSignedBy.ts'

/** Chains on which accounts that sign may be contracts; null for one that isn't configured. */
export type AccountChains = (chainId: number) => AccountChain | null

/**
 * As many of its chain's providers as for the enclave must confirm what a contract accepts, and none may
 * deny: if one were enough, it could make any signature count for any account, and let anyone replace
 * recipients.
 *
 * @param clientOf reads whether there is a contract at all
 */
export function contractAccountChains(
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
