import { setTimeout as pause } from 'node:timers/promises'
import { CairnError, type IntentHandle } from '../../sdk/index.ts'

/** Milliseconds before the first and any later attempt to refund. */
const FIRST_RETRY = 2_000
const LONGEST_RETRY = 60_000

/**
 * Intents without a winner, or whose winner didn't deliver, are refunded: their recipients remain unpaid. Only the chain's
 * word that the funds are back makes it safe to pay them again, so this waits for it, in production for up to three days.
 *
 * @param error what `wait()` threw
 * @param log told once what is waited for
 */
export async function awaitRefund(
  intent: Pick<IntentHandle, 'id' | 'refund'>,
  error: unknown,
  log: (line: string) => void,
  sleep: (milliseconds: number) => Promise<unknown> = pause,
): Promise<{ status: string }> {
  if (!(error instanceof CairnError) || !/^(INTENT_EXPIRED|EXECUTION_TIMEOUT)$/.test(error.code))
    throw error
  for (let retry = FIRST_RETRY; ; retry = Math.min(retry * 2, LONGEST_RETRY)) {
    const refusal = await intent.refund().then(() => null, asCairnError)
    if (refusal === null) return { status: 'refunded' }
    if (refusal.code === 'INTENT_ENDED') return { status: String(refusal.details.status) }
    if (refusal.code !== 'CONTRACT_REVERTED' && !refusal.retryable) throw refusal
    if (retry === FIRST_RETRY) log(`${intent.id} ${describeWait(error)}`)
    await sleep(retry)
  }
}

function describeWait({ code }: CairnError): string {
  const stop = 'You can stop this, and run it again later: it continues.'
  if (code === 'INTENT_EXPIRED')
    return `found no solver: waiting until the bridge lets it be refunded, in minutes. ${stop}`
  return `was not delivered: waiting for its refund, by the relayer or, 72 hours after the delivery's deadline (seconds on a devnet), by this program. ${stop}`
}

function asCairnError(error: unknown): CairnError {
  if (error instanceof CairnError) return error
  throw error
}
