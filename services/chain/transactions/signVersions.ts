import { inParallel } from '../../process/inParallel.ts'
import type { Fees } from './fees.ts'
import type { Pass, SenderContext } from './senderContext.ts'
import { type NewVersion, saveVersions, type Version } from './senderStore.ts'
import type { Transaction } from './transaction.ts'

type VersionRequest = Fees & { nonce: number; gas: bigint; isCancel?: boolean }

/** Why nothing was signed: refused for ever, or the signer can't be reached. */
export type Unsigned = { isFinal: boolean; problem: string; detail: string }

/** A version of a transaction that is to be signed. */
type ToSign = { transaction: Transaction; version: VersionRequest }

/** Versions as they were saved. Behind one that isn't signed nothing is: its nonce would be missing. */
type Signed = {
  signed: { transaction: Transaction; version: Version }[]
  unsigned: { transaction: Transaction; why: Unsigned } | null
}

/** Codes of refusals that won't change. */
const FINAL = new Set([
  ...['TRANSACTION_NOT_ALLOWED', 'TRANSACTION_NOT_AUTHENTIC'],
  ...['REQUEST_INVALID', 'CHAIN_NOT_CONFIGURED'],
])

/** Questions to the signer at once. */
const AT_ONCE = 16

/** Signs versions that follow each other by their nonces, and saves them, before anybody can have seen one. */
export async function signVersions(pass: Pass, requested: readonly ToSign[]): Promise<Signed> {
  const { context, db, view } = pass
  const answers = await inParallel(requested, AT_ONCE, (one) => sign(context, one, view.head))
  const first = answers.findIndex((answer) => 'problem' in answer)
  const whole = first === -1 ? answers.length : first
  const saved = requested.slice(0, whole).map(({ transaction }, at) => {
    return { transaction, version: answers[at] as NewVersion }
  })
  await saveVersions(db, saved)
  for (const { transaction } of saved) context.onPhase('saved', transaction)
  const refused = requested[whole]
  return {
    signed: saved.map(({ transaction, version }) => ({
      transaction,
      version: { ...version, signedAt: new Date(), sentAt: null },
    })),
    unsigned: refused
      ? { transaction: refused.transaction, why: answers[whole] as Unsigned }
      : null,
  }
}

async function sign(
  context: SenderContext,
  { transaction, version }: ToSign,
  signedAtBlock: number,
): Promise<NewVersion | Unsigned> {
  const { account, chainId } = context
  const { nonce, gas, maxFeePerGas, maxPriorityFeePerGas, isCancel = false } = version
  const call = isCancel ? { to: account, data: '0x' as const, value: 0n } : transaction
  const { to, data, value } = call
  const fees = { maxFeePerGas, maxPriorityFeePerGas }
  const unsigned = { chainId, nonce, to, data, value, gas, ...fees }
  const signed = await context.sign(unsigned, transaction).catch(whyUnsigned)
  if ('problem' in signed) return signed
  context.onPhase('signed', transaction)
  const { hash, serialized: raw } = signed
  return { hash, nonce, raw, gasLimit: gas, ...fees, isCancel, signedAtBlock }
}

function whyUnsigned(error: unknown): Unsigned {
  const { code, message } = error as { code?: unknown; message?: string }
  const problem = typeof code === 'string' ? code : 'SIGNER_FAILED'
  const detail = message?.split('\n')[0] ?? 'the signer failed'
  return { isFinal: FINAL.has(problem), problem, detail }
}
