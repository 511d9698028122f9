import type { Logger } from 'pino'
import type { SenderEvent } from '../../chain/transactions/senderContext.ts'
import { createRepeatLog } from '../../log/repeatLog.ts'
import type { ReactionEvent } from './reactionContext.ts'

type Event = ReactionEvent | SenderEvent

/**
 * Writes every line that reactions log; this file is also the list of what those lines may contain. Intents appear by
 * id and transactions by hash, but never calldata, a bundle or a signature.
 */
export function createReactionLog(log: Logger): (event: Event) => void {
  const report = createRepeatLog(log)
  const trouble = (facts: { where?: string; chainId?: number; detail: string }, words: string) =>
    report('warn', `${facts.where ?? facts.chainId} ${words}`, facts, words)
  return (event) => {
    switch (event.type) {
      case 'reacted': {
        const { kind, sourceChainId, intentId, outcome, milliseconds } = event
        const fields = { kind, sourceChainId, intentId: String(intentId), milliseconds, outcome }
        const level = outcome.is === 'refused' ? 'warn' : 'info'
        return log[level](fields, `${kind}: ${outcome.is}`)
      }
      case 'trouble':
        return 'where' in event
          ? trouble({ where: event.where, detail: event.detail }, 'trouble')
          : trouble({ chainId: event.chainId, detail: event.detail }, event.problem)
      case 'waits':
      case 'failed':
      case 'superseded': {
        const facts = { ...namesOf(event), problem: event.problem }
        return log[isOrdinary(event) ? 'info' : 'warn'](facts, `transaction ${event.type}`)
      }
      default:
        return log.info({ ...namesOf(event), hash: event.hash }, `transaction ${event.type}`)
    }
  }
}

type Ended = Extract<Event, { type: 'waits' | 'failed' | 'superseded' }>

/** Whether it ended because it isn't needed any more, as when a sender cancels an intent before its anchor. */
function isOrdinary({ type, problem, transaction: { kind } }: Ended): boolean {
  if (type !== 'failed') return type === 'superseded'
  return problem === 'TOO_LATE' || (kind === 'anchor' && problem === 'WrongPhase')
}

function namesOf({ transaction }: Exclude<Event, { type: 'reacted' | 'trouble' }>) {
  const { id, kind, chainId, effect, round } = transaction
  return { id, kind, chainId, effect, round }
}
