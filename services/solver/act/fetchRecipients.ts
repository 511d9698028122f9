import type { Hex } from 'viem'
import { openSealedRecipients } from '../../../core/settlement/sealedRecipients.ts'
import { RelayerError } from '../../../sdk/relayer/relayerError.ts'
import { readReveal } from '../chain/readReveal.ts'
import type { SeenIntent } from '../plan/snapshot.ts'
import { chainOf, type Solver } from '../solver.ts'
import { checkReveal, RecipientsRefused } from './checkReveal.ts'

/** Who is to be paid, in base units of tokenB. Never to be logged. */
export type Payees = { recipients: readonly Hex[]; amounts: readonly bigint[] }

/** Most recipients that the contract pays in one delivery. */
const MOST = 200

/**
 * The recipients of an intent that we have won: from the relayer, if enclaves have signed them. Sealed to our own
 * key. Their amounts add up to our commitment exactly: more would be our loss, and for less we wouldn't be paid.
 *
 * They are read from the chain only if we asked for them there and the relayer doesn't answer. An answer that we
 * reject isn't enough: a node can cause that by denying the enclaves' keys.
 *
 * @throws RelayerError, RecipientsRefused, or RevealUnprovenError
 */
export async function fetchRecipients(
  solver: Pick<Solver, 'relayer' | 'account' | 'chains'>,
  intent: SeenIntent,
): Promise<Payees> {
  const sealed = await revealedBy(solver, intent).catch(async (error: unknown) => {
    const onChain = mayBeOnChain(intent, error)
      ? await readReveal(chainOf(solver, intent.sourceChainId), intent.intentId)
      : null
    if (onChain === null) throw error
    return onChain
  })
  return checked(open(solver, sealed), intent)
}

function mayBeOnChain({ asked, revealed }: SeenIntent, error: unknown): boolean {
  // As long as the deposit isn't deep for the relayer, no enclave has signed anything.
  return asked && revealed && error instanceof RelayerError && error.code !== 'NOT_CONFIRMED'
}

/** What the relayer revealed, once enough enclaves turn out to have signed it. */
async function revealedBy(
  { relayer, account, chains }: Pick<Solver, 'relayer' | 'account' | 'chains'>,
  intent: SeenIntent,
): Promise<Hex> {
  const { intentId, sourceChainId } = intent
  const { encryptedData, signatures } = await relayer.getRecipients(
    { intentId, sourceChainId },
    { 'x-solver-address': account.address },
  )
  if (!encryptedData || !signatures)
    throw new RecipientsRefused('the relayer sent recipients that no enclave has signed')
  await checkReveal(chainOf({ chains }, sourceChainId), intent, encryptedData, signatures)
  return encryptedData
}

function open({ account }: Pick<Solver, 'account'>, sealed: Hex): Payees {
  try {
    return openSealedRecipients(account.open(sealed))
  } catch {
    throw new RecipientsRefused('the sealed recipients can’t be opened with this solver’s key')
  }
}

function checked({ recipients, amounts }: Payees, { amountB }: SeenIntent): Payees {
  const count = recipients.length
  if (count === 0 || count > MOST || count !== amounts.length)
    throw new RecipientsRefused(`${count} recipients with ${amounts.length} amounts can’t be paid`)
  if (amounts.some((amount) => amount <= 0n))
    throw new RecipientsRefused('an amount is zero, which the bridge would not take')
  const total = amounts.reduce((sum, amount) => sum + amount, 0n)
  if (total !== amountB) throw new RecipientsRefused('the amounts don’t match the committed amount')
  return { recipients, amounts }
}
