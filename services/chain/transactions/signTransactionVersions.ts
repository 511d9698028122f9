import { mapInParallel } from '../../process/mapInParallel.ts'
import type { Pass, SenderContext } from './senderContext.ts'
import type { Fees } from './transactionFees.ts'
import type { Transaction } from './transactionRow.ts'
import { type NewVersion, saveVersions, type Version } from './transactionStore.ts'

type VersionRequest = Fees & { nonce: number; gas: bigint; isCancel?: boolean }

/** Why nothing was signed. `isFinal`: the signer refuses for good; otherwise it may sign later. */
export type SigningFailure = { isFinal: boolean; problem: string; detail: string }

type VersionToSign = { transaction: Transaction; version: VersionRequest }

type SignedVersions = {
  signed: { transaction: Transaction; version: Version }[]
  /** The first one that wasn't signed. Those behind it aren't either, since its nonce would be missing. */
  failed: { transaction: Transaction; failure: SigningFailure } | null
}

/** Error codes of refusals that won't change. */
const FINAL = new Set([
  'TRANSACTION_NOT_ALLOWED',
  'TRANSACTION_NOT_AUTHENTIC',
  'REQUEST_INVALID',
  'CHAIN_NOT_CONFIGURED',
])

const CONCURRENT_SIGNATURES = 16

/** Signs versions with consecutive nonces, and saves them before anything can be sent. */
export async function signTransactionVersions(
  pass: Pass,
  requested: readonly VersionToSign[],
): Promise<SignedVersions> {
  const { context, db, view } = pass
  const results = await mapInParallel(requested, CONCURRENT_SIGNATURES, (one) =>
    sign(context, one, view.head),
  )
  const firstFailure = results.findIndex((result) => 'problem' in result)
  const signedCount = firstFailure === -1 ? results.length : firstFailure
  const saved = requested.slice(0, signedCount).map(({ transaction }, index) => {
    return { transaction, version: results[index] as NewVersion }
  })
  await saveVersions(db, saved)
  for (const { transaction } of saved) context.onPhase('saved', transaction)
  const refused = requested[signedCount]
  return {
    signed: saved.map(({ transaction, version }) => ({
      transaction,
      version: { ...version, msSinceSigned: 0, msSinceSent: null },
    })),
    failed: refused
      ? { transaction: refused.transaction, failure: results[signedCount] as SigningFailure }
      : null,
  }
}

async function sign(
  context: SenderContext,
  { transaction, version }: VersionToSign,
  signedAtBlock: number,
): Promise<NewVersion | SigningFailure> {
  const { account, chainId } = context
  const { nonce, gas, maxFeePerGas, maxPriorityFeePerGas, isCancel = false } = version
  const call = isCancel ? { to: account, data: '0x' as const, value: 0n } : transaction
  const { to, data, value } = call
  const fees = { maxFeePerGas, maxPriorityFeePerGas }
  const unsigned = { chainId, nonce, to, data, value, gas, ...fees }
  const signed = await context.sign(unsigned, transaction).catch(toSigningFailure)
  if ('problem' in signed) return signed
  context.onPhase('signed', transaction)
  const { hash, serialized: raw } = signed
  return { hash, nonce, raw, gasLimit: gas, ...fees, isCancel, signedAtBlock }
}

function toSigningFailure(error: unknown): SigningFailure {
  const { code, message } = error as { code?: unknown; message?: string }
  const problem = typeof code === 'string' ? code : 'SIGNER_FAILED'
  const detail = message?.split('\n')[0] ?? 'the signer failed'
  return { isFinal: FINAL.has(problem), problem, detail }
}
