import {
  encodeDeployData,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
  isErc6492Signature,
  keccak256,
  parseErc6492Signature,
  sliceHex,
  stringToHex,
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

/**
 * The account that the check is sent from, which nobody has. The default would be the zero address, by which some wallets
 * recognise a simulation: they then do what a stranger's signature tells them, such as to accept the stranger's key.
 */
const FROM = sliceHex(keccak256(stringToHex('cairn contract signature check')), 12)

/** Asks over JSON-RPC with ERC-6492's validator, which runs inside the call and needs no deployment. */
export function createContractSignatureCheck(
  chains: readonly EnclaveChain[],
  onDisagreement: (disagreement: Disagreement) => void = () => {},
): ContractSignatureCheck {
  const known = new Map(chains.map((chain) => [chain.chainId, chain]))
  return (chainId, { wallet, hash, signature }) => {
    const chain = known.get(chainId)
    if (chain === undefined) throw new EnclaveError('CHAIN_NOT_CONFIGURED')
    // Disagreements are logged without the wallet, which may be a recipient.
    const subject = "a contract wallet's signature"
    return requireAgreement(
      chain,
      subject,
      ({ url }) => requestCheck(url, { wallet, hash, signature }),
      String,
      onDisagreement,
    )
  }
}

/** A reverted call means no; a failing node proves nothing. */
async function requestCheck(url: string, signed: ContractSignature): Promise<boolean | null> {
  try {
    const call = { from: FROM, data: await encodeCheck(url, signed), gas: `0x${GAS.toString(16)}` }
    const answer = await requestFromProvider(url, 'eth_call', [call, 'latest'])
    return typeof answer === 'string' && /^0x0*1$/.test(answer)
  } catch (error) {
    return error instanceof ProviderRefusal && isExecutionFailure(error) ? false : null
  }
}

/** The calls in a signature are only for deploying the wallet: a deployed one decides without them. */
async function encodeCheck(url: string, { wallet, hash, signature }: ContractSignature) {
  const isWrapped = isErc6492Signature(signature)
  const code = isWrapped ? await requestFromProvider(url, 'eth_getCode', [wallet, 'latest']) : '0x'
  return encodeDeployData({
    abi: erc6492SignatureValidatorAbi,
    bytecode: erc6492SignatureValidatorByteCode,
    args: [wallet, hash, code === '0x' ? signature : unwrap(signature)],
  })
}

/** A wallet's own signature; empty if it can't be read. */
function unwrap(signature: Hex): Hex {
  try {
    return isErc6492Signature(signature)
      ? unwrap(parseErc6492Signature(signature).signature as Hex)
      : signature
  } catch {
    return '0x'
  }
}

/** Reverted, out of gas or invalid, rather than a node that is too busy, or lacks the state. */
function isExecutionFailure({ code, isOfRequest }: ProviderRefusal): boolean {
  return isOfRequest && (code === 3 || code === -32000 || code === -32015)
}
