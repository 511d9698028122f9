import type { Hex } from 'viem'
import { getRecipientsMessage } from '../../../sdk/messages/getRecipients.ts'
import { type RelayerRecipients, sealedRecipients } from '../../../sdk/relayer/answers.ts'
import type { RelayerClient } from '../../../sdk/relayer/relayerClient.ts'
import type { SolverAccount } from '../account/solverAccount.ts'
import type { SeenIntent } from '../plan/snapshot.ts'

/** Who is to be paid, in base units of tokenB. Never to be logged. */
export type Payees = { recipients: Hex[]; amounts: bigint[] }

/** What the relayer told doesn't add up to what we committed to. Says nothing of whom it named. */
export class RecipientsRefused extends Error {
  override readonly name = 'RecipientsRefused'
  readonly code = 'RECIPIENTS_WRONG'
}

/** Most recipients that the contract pays in one delivery. */
const MOST = 200

/**
 * The recipients of an intent that we have won, in the clear or sealed to our own key, as the relayer
 * prefers. Their amounts add up to our commitment exactly: neither more, which would be our loss, nor
 * less, which would not be paid.
 *
 * @throws RelayerError, or RecipientsRefused
 */
export async function fetchRecipients(
  relayer: RelayerClient,
  account: SolverAccount,
  intent: SeenIntent,
): Promise<Payees> {
  const { intentId, sourceChainId } = intent
  const timestamp = Math.floor(Date.now() / 1_000)
  const message = getRecipientsMessage(intentId, sourceChainId, timestamp)
  const answer = await relayer.getRecipients(
    { intentId, sourceChainId },
    {
      'x-solver-address': account.address,
      'x-solver-signature': await account.signMessage(message),
      'x-timestamp': String(timestamp),
    },
  )
  return checked(payeesOf(answer, account), intent)
}

function payeesOf(answer: RelayerRecipients, account: SolverAccount): Payees {
  const { encryptedData } = answer
  if (answer.recipients.length > 0 || !encryptedData) return answer
  try {
    const text = new TextDecoder().decode(account.open(encryptedData))
    return sealedRecipients.parse(JSON.parse(text))
  } catch {
    throw new RecipientsRefused('what the relayer sealed to us can’t be opened')
  }
}

function checked({ recipients, amounts }: Payees, { amountB }: SeenIntent): Payees {
  const count = recipients.length
  if (count === 0 || count > MOST || count !== amounts.length)
    throw new RecipientsRefused(`${count} recipients with ${amounts.length} amounts can’t be paid`)
  if (amounts.some((amount) => amount <= 0n))
    throw new RecipientsRefused('an amount is zero, which the bridge would not take')
  const total = amounts.reduce((sum, amount) => sum + amount, 0n)
  if (total !== amountB) throw new RecipientsRefused('the amounts are not what we committed to')
  return { recipients, amounts }
}
