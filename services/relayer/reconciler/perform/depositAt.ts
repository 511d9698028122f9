import { confirmationsFor } from '../../../../core/settlement/confirmationsFor.ts'
import type { DepositAt } from '../../settlement/revealRecipients.ts'
import type { IntentState } from '../intentState.ts'
import type { Reactor } from '../reactor.ts'

/** Where the winner's deposit is, and how deep it has to be, by the configuration and the escrow. */
export function depositAt(
  { configured }: Pick<Reactor, 'configured'>,
  {
    facts: { source },
    clocks,
    depositBlock,
  }: Pick<IntentState, 'facts' | 'clocks' | 'depositBlock'>,
): DepositAt {
  const { sourceChainId, tokenA, amountA } = source
  const chain = configured.get(sourceChainId)
  if (!chain) throw new Error(`chain ${sourceChainId} is not configured`)
  return {
    from: depositBlock ?? 0,
    head: clocks.get(sourceChainId)?.blockNumber ?? 0,
    depth: confirmationsFor(chain, tokenA, amountA),
  }
}
