import {
  formatTransaction,
  keccak256,
  type RpcTransaction,
  recoverTransactionAddress,
  serializeTransaction,
  type TransactionSerializable,
  type TransactionSerialized,
} from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Provider } from '../rpcPool/provider.ts'
import { requestFromProvider } from './requestFromProvider.ts'

/** The sender of a transaction as one provider names it. Lower case. */
export type NamedSender = { from: Hex; provider: Provider }

/**
 * Quarantines the provider that is wrong where two name different senders of a transaction: its signer
 * sent it, and the transaction's hash proves the signature.
 *
 * @returns who is quarantined; null when nobody shows a transaction of that hash and of a kind that we can read
 */
export async function resolveSenderConflict(
  hash: Hex,
  claims: readonly [NamedSender, NamedSender],
): Promise<Provider | null> {
  // Another range, under way at the same time, may have found it out.
  const known = claims.find(({ provider }) => provider.quarantine)
  if (known) return known.provider
  for (const { provider } of claims) {
    const signer = await signerBy(provider, hash)
    if (signer === null) continue
    const wrong = claims.find(({ from }) => from !== signer) as NamedSender
    const why = `transaction ${hash} is sent by ${wrong.from} there, and signed by ${signer}`
    wrong.provider.setQuarantine('logs', why)
    return wrong.provider
  }
  return null
}

async function signerBy(provider: Provider, hash: Hex): Promise<Hex | null> {
  try {
    const answer = await requestFromProvider(provider)('eth_getTransactionByHash', [hash])
    const signed = signedBytes(answer as RpcTransaction)
    if (keccak256(signed) !== hash) return null
    const signer = await recoverTransactionAddress({ serializedTransaction: signed })
    return signer.toLowerCase() as Hex
  } catch {
    return null
  }
}

function signedBytes(answer: RpcTransaction): TransactionSerialized {
  const { input: data, r, s, v, yParity, ...transaction } = formatTransaction(answer)
  const unsigned = { ...transaction, data } as unknown as TransactionSerializable
  const signature = yParity === undefined ? { r, s, v } : { r, s, v, yParity }
  return serializeTransaction(unsigned, signature as never) as TransactionSerialized
}
