import { bytesToHex, type Hex, hexToBytes, keccak256, stringToBytes } from 'viem'
import { encryptTo } from '../seal/encryptTo.ts'

/** A scheduled order, as its owner means it. Amounts in base units, times in unix seconds. */
export type OrderParams = {
  /** The owner: its tokens are spent, and what fails comes back to it. */
  user: Hex
  assetIn: Hex
  assetOut: Hex
  /** Names of the chains, such as `base_sepolia`. */
  chainIn: string
  chainOut: string
  sourceChainId: number
  destChainId: number
  totalAmountIn: bigint
  /** Of it 5 % are the solver's reward. */
  amountPerPeriod: bigint
  /** Seconds, 5 or more. */
  period: number
  startTime: number
  endTime: number
  /** Whom each tranche pays: known to the service's enclave, and to nobody else before the delivery. */
  recipients: readonly Hex[]
  /** Least that each recipient gets of each tranche, in base units of assetOut. */
  amounts: readonly bigint[]
}

/** An order as it is submitted. Keep `vaultOrderId`: with it the owner can leave without any service. */
export type SealedOrder = { encrypted: Hex; vaultOrderId: Hex }

/**
 * Encrypts an order to the orders service. Each call gives another ciphertext, and so another order.
 *
 * @param publicKey the service's, of its `GET /ecies-pubkey`; it isn't the relayer's
 */
export function sealOrder(publicKey: Hex, order: OrderParams): SealedOrder {
  const { totalAmountIn, amountPerPeriod, amounts, ...rest } = order
  const text = JSON.stringify({
    ...rest,
    totalAmountIn: String(totalAmountIn),
    amountPerPeriod: String(amountPerPeriod),
    amounts: amounts.map(String),
  })
  const encrypted = bytesToHex(encryptTo(hexToBytes(publicKey), stringToBytes(text)))
  return { encrypted, vaultOrderId: keccak256(encrypted) }
}
