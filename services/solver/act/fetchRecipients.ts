import type { Hex } from 'viem'
import { decodePayments } from '../../../core/settlement/encodePayments.ts'
import { RelayerError } from '../../../sdk/relayer/relayerError.ts'
import { readReveal } from '../chain/readReveal.ts'
import type { IntentSnapshot } from '../plan/solverSnapshot.ts'
import { chainOf, type SolverContext } from '../solverContext.ts'
import { RecipientsRefused, requireRevealSignatures } from './requireRevealSignatures.ts'

/** Who is paid how much, in base units of tokenB. Never log it. */
export type Payees = { recipients: readonly Hex[]; amounts: readonly bigint[] }

/**
 * The recipients of an intent that we won, as the relayer reveals them: signed by enclaves and sealed to our key.
 * Their amounts must equal our commitment exactly: more would be our loss, and less would not be paid.
 *
 * Falls back to the recipients on chain if we asked for them there and the relayer fails. An answer that we reject
 * is no reason to fall back: a lying node can cause that by denying the enclaves' keys.
 *
 * @throws RelayerError, RecipientsRefused, or SolverError `REVEAL_UNPROVEN`
 */
export async function fetchRecipients(
  solver: Pick<SolverContext, 'relayer' | 'account' | 'chains'>,
  intent: IntentSnapshot,
): Promise<Payees> {
  const sealed = await revealedByRelayer(solver, intent).catch(async (error: unknown) => {
    const onChain = mayBeOnChain(intent, error)
      ? await readReveal(chainOf(solver, intent.sourceChainId), intent.intentId)
      : null
    if (onChain === null) throw error
    return onChain
  })
  return checkPayees(open(solver, sealed), intent)
}

function mayBeOnChain({ asked, revealed }: IntentSnapshot, error: unknown): boolean {
  // No enclave has signed anything while the deposit isn't confirmed for the relayer.
  return asked && revealed && error instanceof RelayerError && error.code !== 'NOT_CONFIRMED'
}

/** What the relayer reveals, with the enclaves' signatures checked. */
async function revealedByRelayer(
  { relayer, account, chains }: Pick<SolverContext, 'relayer' | 'account' | 'chains'>,
  intent: IntentSnapshot,
): Promise<Hex> {
  const { intentId, sourceChainId } = intent
  const { encryptedData, signatures } = await relayer.getRecipients(
    { intentId, sourceChainId },
    { 'x-solver-address': account.address },
  )
  if (!encryptedData || !signatures)
    throw new RecipientsRefused('the relayer sent recipients that no enclave signed')
  await requireRevealSignatures(
    chainOf({ chains }, sourceChainId),
    intent,
    encryptedData,
    signatures,
  )
  return encryptedData
}

function open({ account }: Pick<SolverContext, 'account'>, sealed: Hex): Payees {
  try {
    return decodePayments(account.open(sealed))
  } catch {
    throw new RecipientsRefused('this solver’s key does not decrypt the sealed recipients')
  }
}

function checkPayees({ recipients, amounts }: Payees, { amountB }: IntentSnapshot): Payees {
  if (amounts.some((amount) => amount <= 0n))
    throw new RecipientsRefused('an amount is zero, which the bridge rejects')
  const total = amounts.reduce((sum, amount) => sum + amount, 0n)
  if (total !== amountB)
    throw new RecipientsRefused('the amounts do not add up to the committed amount')
  return { recipients, amounts }
}
