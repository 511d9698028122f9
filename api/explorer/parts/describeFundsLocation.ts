import type { Token } from '../../http/tokens/tokenLookup.ts'
import type { IntentRecord } from '../../rest/intents/intentSchema.ts'
import { html, type Markup } from '../html/html.ts'
import { renderAmount } from './amount.ts'
import { formatChainName } from './formatChainName.ts'
import { renderAccountLink } from './pageLinks.ts'
import { PATHS } from './pagePaths.ts'
import { renderExactTime } from './timesAndDurations.ts'

/** Says in words where an intent's money is now, and what moves it next. */
export function describeFundsLocation(intent: IntentRecord, tokenA: Token, tokenB: Token): Markup {
  const { refund, status } = intent
  const source = formatChainName(intent.sourceChainId)
  const dest = formatChainName(intent.destChainId)
  const escrow = renderAmount(BigInt(intent.amountA) + BigInt(intent.reward), tokenA)
  const held = html`The bridge on ${source} holds ${escrow}.`
  if (refund?.status === 'done')
    return html`${renderAmount(refund.amount, tokenA)} went back to the sender on ${source}.`
  if (refund?.status === 'due') return html`${held} Anyone can refund it to the sender now.`
  if (refund)
    return html`${held} Anyone can refund it to the sender from ${renderExactTime(refund.claimableAt ?? '')}${refund.attestableAt && html`, or at once with the enclaves’ attestation`}.`
  if (status === 'pending') return html`${held} ${pendingWords(intent)}`
  const winner = intent.solverAddress && renderAccountLink(intent.solverAddress, PATHS.solver)
  const won = intent.winningAmountB && renderAmount(intent.winningAmountB, tokenB)
  if (status === 'solving')
    return html`${held} ${winner} owes ${won} on ${dest}${intent.fillDeadline && html` until ${renderExactTime(intent.fillDeadline)}`}.`
  if (status === 'settled')
    return html`${won} reached ${dest}. ${held} It goes to ${winner} once the enclaves attest the delivery.`
  if (status === 'completed')
    return html`The recipients have ${won} on ${dest}. ${winner} was paid ${intent.payout && renderAmount(intent.payout, tokenA)} on ${source}.`
  return held
}

function pendingWords({ substatus, endTime }: IntentRecord): Markup {
  if (substatus === 'awaiting_anchor') return html`Bidding opens once it is anchored.`
  if (substatus === 'awaiting_best_bidder') return html`The best bidder can deposit now.`
  if (substatus === 'awaiting_any_solver')
    return html`The best bidder didn’t deposit: any solver can take it now.`
  return html`Solvers can bid until ${renderExactTime(endTime)}.`
}
