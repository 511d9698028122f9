import {
  concat,
  encodeFunctionData,
  encodePacked,
  getContractAddress,
  keccak256,
  pad,
  stringToHex,
  zeroAddress,
} from 'viem'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { safeAbi, safeProxyFactoryAbi } from './safeAbi.ts'
import { findSafeContracts, type SafeContracts } from './safeContracts.ts'
import { PROXY_CREATION_CODE } from './safeProxyCode.ts'

/** A Safe that may not be deployed yet, and the data that creates it. */
type PredictedSafe = {
  /** Lower case. */
  address: Hex
  /** Calldata of `setup`. */
  initializer: Hex
  saltNonce: bigint
}

/**
 * Predicts the Safe 1.4.1 whose only owner is this address, as Safe's own tools do for `{owners: [owner], threshold:
 * 1}` with default settings.
 *
 * @param contracts default: the canonical ones
 */
export function predictSafe(
  owner: Hex,
  chainId: number,
  contracts: SafeContracts = findSafeContracts(chainId),
): PredictedSafe {
  const initializer = encodeSetup(owner, contracts)
  const saltNonce = computeSaltNonce(chainId)
  const salt = keccak256(encodePacked(['bytes32', 'uint256'], [keccak256(initializer), saltNonce]))
  const address = getContractAddress({
    opcode: 'CREATE2',
    from: contracts.proxyFactory,
    salt,
    bytecode: concat([PROXY_CREATION_CODE, pad(contracts.singleton, { size: 32 })]),
  })
  return { address: address.toLowerCase() as Hex, initializer, saltNonce }
}

/** Calldata for the proxy factory with which anyone can deploy the Safe. */
export function encodeDeployment(
  { initializer, saltNonce }: PredictedSafe,
  { singleton }: SafeContracts,
): Hex {
  return encodeFunctionData({
    abi: safeProxyFactoryAbi,
    functionName: 'createProxyWithNonce',
    args: [singleton, initializer, saltNonce],
  })
}

/** A Safe's minimal setup: one owner, no payment, no further call. */
function encodeSetup(owner: Hex, { fallbackHandler }: SafeContracts): Hex {
  const [nobody, nothing] = [zeroAddress, 0n]
  return encodeFunctionData({
    abi: safeAbi,
    functionName: 'setup',
    args: [[owner], 1n, nobody, '0x', fallbackHandler, nobody, nothing, nobody],
  })
}

/** The Safe project's own, which depends on the chain. */
function computeSaltNonce(chainId: number): bigint {
  const seed = keccak256(stringToHex('Safe Account Abstraction'))
  return BigInt(keccak256(stringToHex(`${seed}${chainId}`)))
}
