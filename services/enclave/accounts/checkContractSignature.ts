import {
  encodeDeployData,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
} from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { EnclaveChain } from '../enclaveChain.ts'
import { EnclaveError } from '../enclaveError.ts'
import { ProviderRefusal, requestFromProvider } from '../providers/requestFromProvider.ts'
import { agreeOn, type Disagreement } from '../providers/requireAgreement.ts'

/** The signature that a wallet's contract should accept. */
type ContractSignature = { wallet: Hex; hash: Hex; signature: Hex }

/**
 * Whether a recipient's contract on a chain accepts a signature by ERC-1271, also before it is deployed
 * (ERC-6492): as many operators as must agree confirm it. Rejects with `PROVIDERS_UNREACHABLE` or
 * `BLOCK_NOT_AGREED`. Never for an intent's sender: a contract sender names recipients by a call.
 */
export type ContractSignatureCheck = (
  chainId: number,
  signed: ContractSignature,
) => Promise<boolean>

/** What the check may cost a node: a stranger's signature can contain any call. */
const GAS = 3_000_000n

/** Asks over JSON-RPC, by the validator of ERC-6492, which runs in the call and is deployed nowhere. */
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
    // Disagreements are logged, so they don't name the wallet: it may be a recipient.
    const subject = "a contract wallet's signature"
    return agreeOn(chain, subject, ({ url }) => requestCheck(url, data), String, onDisagreement)
  }
}

/** A failed call means no; a failed node means nothing. */
async function requestCheck(url: string, data: Hex): Promise<boolean | null> {
  try {
    const gas = `0x${GAS.toString(16)}`
    const answer = await requestFromProvider(url, 'eth_call', [{ data, gas }, 'latest'])
    return typeof answer === 'string' && /^0x0*1$/.test(answer)
  } catch (error) {
    return error instanceof ProviderRefusal && isExecutionFailure(error) ? false : null
  }
}

/** Reverted, out of gas or invalid, as opposed to that the node is too busy to say. */
function isExecutionFailure({ code }: ProviderRefusal): boolean {
  return code === 3 || code === -32000 || code === -32015
}
