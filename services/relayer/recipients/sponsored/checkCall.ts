import { getAddress } from 'viem'
import { parseMultiSend } from '../../../../core/safe/parseMultiSend.ts'
import type { SafeContracts } from '../../../../core/safe/safeContracts.ts'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import { SponsorError } from './sponsorContext.ts'

/** A call that a Safe is to make. */
export type RelayedCall = { to: Hex; value: bigint; data: Hex; operation: number }

/**
 * Requires that a Safe delegates to no foreign code: it makes a call, or a list of calls through the Safe project's
 * library.
 *
 * @throws SponsorError `CALL_NOT_ALLOWED`
 */
export function checkCall(
  { to, value, data, operation }: RelayedCall,
  { multiSendCallOnly }: Pick<SafeContracts, 'multiSendCallOnly'>,
): void {
  if (operation === 0) return
  if (operation !== 1) throw notAllowed('operation must be 0 (a call) or 1 (a batch of calls)')
  if (to !== multiSendCallOnly) {
    throw notAllowed(
      `operation 1 is only for MultiSendCallOnly at ${getAddress(multiSendCallOnly)}`,
    )
  }
  if (value !== 0n) throw notAllowed('a batch can’t have a value: give it to its calls')
  const calls = parseMultiSend(data)
  if (calls === null) throw notAllowed('data must be one multiSend of at most 64 complete calls')
  const nested = calls.findIndex((call) => call.operation !== 0)
  if (nested !== -1) throw notAllowed(`call ${nested} of the batch is not a plain call`)
}

function notAllowed(message: string): SponsorError {
  return new SponsorError('CALL_NOT_ALLOWED', message)
}
