import type { Address, Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { SafeClient } from './safeClient.ts'

/** A plain call, as Safe's client expects it. */
export type PlainCall = { to: string; value: string; data: string }

/** A Safe and its owner's signature. */
type SignedCall = { to: Address; value: bigint; data: Hex; operation: 0 | 1; signature: Hex }

/** Safe's client for a deployed Safe. */
export function openSafe(rpc: string, safeAddress: Address, stealthKey: Hex): Promise<SafeClient> {
  return SafeClient.init({ provider: rpc, signer: stealthKey, safeAddress })
}

/** The same before deployment: the address is derived from the owner. */
export function predictSafe(rpc: string, stealthKey: Hex): Promise<SafeClient> {
  const owners = [privateKeyToAccount(stealthKey).address]
  return SafeClient.init({
    provider: rpc,
    signer: stealthKey,
    predictedSafe: {
      safeAccountConfig: { owners, threshold: 1 },
      safeDeploymentConfig: { safeVersion: '1.4.1' },
    },
  })
}

/** One Safe transaction with all these calls, signed by the owner: the input of `relay-proxy`. */
export async function signCalls(safe: SafeClient, calls: PlainCall[]): Promise<SignedCall> {
  const transaction = await safe.createTransaction({ transactions: calls, onlyCalls: true })
  const signed = await safe.signTransaction(transaction)
  const { to, value, data, operation } = signed.data
  return {
    to: to as Address,
    value: BigInt(value),
    data: data as Hex,
    operation: operation === 1 ? 1 : 0,
    signature: signed.encodedSignatures() as Hex,
  }
}

/** The two calls that deploy a Safe and execute these in it; anyone may send them. */
export async function composeDeployment(
  safe: SafeClient,
  calls: PlainCall[],
): Promise<PlainCall[]> {
  const deployment = await safe.createSafeDeploymentTransaction()
  const transaction = await safe.createTransaction({ transactions: calls, onlyCalls: true })
  const signed = await safe.signTransaction(transaction)
  const data = await safe.getEncodedTransaction(signed)
  return [deployment, { to: await safe.getAddress(), value: '0', data }]
}
