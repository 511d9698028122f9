import { type Address, encodeFunctionData, type Hex, hashTypedData, parseAbiParameters } from 'viem'
import { safeAbi } from '../../core/safe/safeAbi.ts'

/** A call for a Safe to make. */
export type SafeCall = {
  to: Address
  /** Wei. */
  value: bigint
  data: Hex
}

/** What a Safe's owner signs. There is no gas refund: all its fields are zero. */
export type SafeTransaction = SafeCall & {
  /** 0 calls `to`; 1 runs its code in the Safe's own context (delegatecall). */
  operation: 0 | 1
  /** The Safe's nonce; 0 for the first transaction. */
  nonce: bigint
}

/** A Safe on a chain. */
export type SafeAt = { chainId: number; safeAddress: Address }

const NOBODY: Address = '0x0000000000000000000000000000000000000000'

const SAFE_TX = parseAbiParameters(
  'address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, uint256 nonce',
)

/** The EIP-712 document of a Safe 1.4.1 transaction, for a wallet's `signTypedData`. */
export function safeTransactionDocument(
  { chainId, safeAddress }: SafeAt,
  { to, value, data, operation, nonce }: SafeTransaction,
) {
  return {
    domain: { chainId, verifyingContract: safeAddress },
    types: { SafeTx: SAFE_TX },
    primaryType: 'SafeTx',
    message: {
      to,
      value,
      data,
      operation,
      nonce,
      safeTxGas: 0n,
      baseGas: 0n,
      gasPrice: 0n,
      gasToken: NOBODY,
      refundReceiver: NOBODY,
    },
  } as const
}

/** The hash the owner signs, equal to the Safe's `getTransactionHash`. */
export function safeTransactionHash(safe: SafeAt, transaction: SafeTransaction): Hex {
  return hashTypedData(safeTransactionDocument(safe, transaction))
}

/**
 * Calldata of the Safe's `execTransaction`, which anyone may send.
 *
 * @param signature the owner's signature of `safeTransactionHash`, 65 bytes
 */
export function execTransactionCall(
  { to, value, data, operation }: SafeTransaction,
  signature: Hex,
): Hex {
  return encodeFunctionData({
    abi: safeAbi,
    functionName: 'execTransaction',
    args: [to, value, data, operation, 0n, 0n, 0n, NOBODY, NOBODY, signature],
  })
}
