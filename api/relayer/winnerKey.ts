import {
  type Hex,
  hexToBigInt,
  isAddressEqual,
  keccak256,
  recoverPublicKey,
  serializeTransaction,
  type Transaction,
} from 'viem'
import { publicKeyToAddress } from 'viem/utils'
import type { chainClient } from '../../services/chain/chainClient.ts'

/** Keys remembered at most. */
const CAPACITY = 10_000

export type WinnerKeys = {
  /**
   * The public key (65 bytes) behind an intent's deposit; null when the transaction doesn't tell it: the
   * winner is a contract, or the transaction of a kind that we can't take apart.
   */
  of(depositTxHash: Hex, solver: Hex): Promise<Hex | null>
}

type TransactionReader = Pick<ReturnType<typeof chainClient>, 'getTransaction'>

/**
 * Recovers winners' keys from the signatures of their deposits. The node is not believed: what it
 * answers must hash to the transaction that the chain has, and be signed by the winner.
 */
export function createWinnerKeys(client: TransactionReader): WinnerKeys {
  const known = new Map<Hex, Hex>()
  return {
    of: async (depositTxHash, solver) => {
      const remembered = known.get(depositTxHash)
      if (remembered) return remembered
      const key = await keyBehind(await client.getTransaction({ hash: depositTxHash }))
      if (key === null || !isAddressEqual(publicKeyToAddress(key), solver)) return null
      known.set(depositTxHash, key)
      if (known.size > CAPACITY) known.delete(known.keys().next().value as Hex)
      return key
    },
  }
}

async function keyBehind(transaction: Transaction): Promise<Hex | null> {
  const { r, s, v, hash, input, gas, to, value, nonce, chainId, accessList } = transaction
  if (r === undefined || s === undefined || hexToBigInt(r) === 0n) return null
  const yParity = transaction.yParity ?? Number(v >= 35n ? (v - 35n) % 2n : v - 27n)
  const { type, maxFeePerGas, maxPriorityFeePerGas, gasPrice } = transaction
  const fees = type === 'eip1559' ? { maxFeePerGas, maxPriorityFeePerGas } : { gasPrice }
  if (type !== 'eip1559' && type !== 'eip2930' && type !== 'legacy') return null
  const unsigned = {
    ...{ type, data: input, gas, to, value, nonce, chainId, ...fees },
    ...(type !== 'legacy' && { accessList }),
  } as Parameters<typeof serializeTransaction>[0]
  const signature = { r, s, v, yParity }
  if (keccak256(serializeTransaction(unsigned, signature)) !== hash) return null
  return recoverPublicKey({ hash: keccak256(serializeTransaction(unsigned)), signature })
}
