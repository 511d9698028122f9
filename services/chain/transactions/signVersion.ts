import type pg from 'pg'
import type { Fees } from './fees.ts'
import type { ChainView, SenderContext } from './sender.ts'
import { saveVersion, type Version } from './senderStore.ts'
import type { Transaction } from './transaction.ts'

export type VersionWanted = Fees & { nonce: number; gas: bigint; isCancel?: boolean }

/** Why nothing was signed: for good, or because the signer is away. */
export type Unsigned = { isFinal: boolean; problem: string; detail: string }

/** Codes of a signer that will say no again. */
const FINAL = new Set(['TRANSACTION_NOT_ALLOWED', 'REQUEST_INVALID', 'CHAIN_NOT_CONFIGURED'])

/** Signs a version of a transaction and saves it, before anybody can have seen it. */
export async function signVersion(
  context: SenderContext,
  db: pg.ClientBase,
  { head: signedAtBlock }: Pick<ChainView, 'head'>,
  transaction: Transaction,
  { nonce, gas, maxFeePerGas, maxPriorityFeePerGas, isCancel = false }: VersionWanted,
): Promise<Version | Unsigned> {
  const { account, chainId } = context
  const call = isCancel ? { to: account, data: '0x' as const, value: 0n } : transaction
  const { to, data, value } = call
  const fees = { maxFeePerGas, maxPriorityFeePerGas }
  const unsigned = { chainId, nonce, to, data, value, gas, ...fees }
  const signed = await context.sign(unsigned, transaction).catch(whyUnsigned)
  if ('problem' in signed) return signed
  context.onPhase('signed', transaction)
  const { hash, serialized: raw } = signed
  const version = { hash, nonce, raw, gasLimit: gas, ...fees, isCancel, signedAtBlock }
  await saveVersion(db, transaction, version)
  context.onPhase('saved', transaction)
  return { ...version, signedAt: new Date(), sentAt: null }
}

function whyUnsigned(error: unknown): Unsigned {
  const { code, message } = error as { code?: unknown; message?: string }
  const problem = typeof code === 'string' ? code : 'SIGNER_FAILED'
  const detail = message?.split('\n')[0] ?? 'the signer failed'
  return { isFinal: FINAL.has(problem), problem, detail }
}
