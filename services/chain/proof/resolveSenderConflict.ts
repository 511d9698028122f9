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

/** A transaction's sender according to one provider, in lower case. */
export type SenderClaim = { from: Hex; provider: Provider }

/**
 * Quarantines the provider that is wrong if two name different senders of a transaction. The signature, which the
 * transaction's hash proves, decides.
 *
 * @returns the quarantined provider; null if neither has a transaction with that hash and of a known type
 */
export async function resolveSenderConflict(
  hash: Hex,
  claims: readonly [SenderClaim, SenderClaim],
): Promise<Provider | null> {
  // A concurrent conflict about another range may have resolved it.
  const known = claims.find(({ provider }) => provider.quarantine)
  if (known) return known.provider
  for (const { provider } of claims) {
    const signer = await signerBy(provider, hash)
    if (signer === null) continue
    const wrong = claims.find(({ from }) => from !== signer) as SenderClaim
    const reason = `its transaction ${hash} is sent by ${wrong.from}, but signed by ${signer}`
    wrong.provider.setQuarantine('logs', reason)
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
