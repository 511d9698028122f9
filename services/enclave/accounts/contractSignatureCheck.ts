import {
  encodeDeployData,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
} from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { EnclaveChain } from '../enclaveChain.ts'
import { EnclaveError } from '../enclaveError.ts'
import { ProviderRefusal, requestFromProvider } from '../providers/requestFromProvider.ts'
import { type Disagreement, requireAgreement } from '../providers/requireAgreement.ts'

/** A signature that a wallet's contract should accept. */
type ContractSignature = { wallet: Hex; hash: Hex; signature: Hex }

/**
 * Whether a recipient's contract on a chain accepts a signature by ERC-1271, or before its deployment by ERC-6492.
 * Needs the agreement of the chain's required number of operators. Never for an intent's sender: a contract sender
 * names recipients by a call.
 *
 * @throws EnclaveError `PROVIDERS_UNREACHABLE` or `BLOCK_NOT_AGREED`
 */
export type ContractSignatureCheck = (
  chainId: number,
  signed: ContractSignature,
) => Promise<boolean>

/** Gas limit of the check on a node: a stranger's signature can contain any call. */
const GAS = 3_000_000n

/** Asks over JSON-RPC with ERC-6492's validator, which runs inside the call and needs no deployment. */
export function createContractSignatureCheck(
  chains: readonly EnclaveChain[],
  onDisagreement: (disagreement: Disagreement) => void = () => {},
): ContractSignatureCheck {
  const known = new Map(chains.map((chain) => [chain.chainId, chain]))
  return (chainId, { wallet, hash, signature }) => {
    const chain = known.get(chainId)
    if (chain === undefined) throw new EnclaveError('CHAIN_NOT_CONFIGURED')
    const data = encodeDeployData({
      abi: erc6492SignatureValidatorAbi,
      bytecode: erc6492SignatureValidatorByteCode,
      args: [wallet, hash, signature],
    })
    // Disagreements are logged without the wallet, which may be a recipient.
    const subject = "a contract wallet's signature"
    return requireAgreement(
      chain,
      subject,
      ({ url }) => requestCheck(url, data),
      String,
      onDisagreement,
    )
  }
}

/** A reverted call means no; a failing node proves nothing. */
async function requestCheck(url: string, data: Hex): Promise<boolean | null> {
  try {
    const gas = `0x${GAS.toString(16)}`
    const answer = await requestFromProvider(url, 'eth_call', [{ data, gas }, 'latest'])
    return typeof answer === 'string' && /^0x0*1$/.test(answer)
  } catch (error) {
    return error instanceof ProviderRefusal && isExecutionFailure(error) ? false : null
  }
}

/** Reverted, out of gas or invalid, rather than a node that is too busy. */
function isExecutionFailure({ code }: ProviderRefusal): boolean {
  return code === 3 || code === -32000 || code === -32015
}
