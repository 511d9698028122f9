import type { Outcome } from '../outcome.ts'
import type { Reactor } from '../reactor.ts'
import type { Effect, Situation } from '../situation.ts'
import { anchor } from './anchor.ts'
import { append } from './append.ts'
import { refundSender } from './refundSender.ts'
import { settle } from './settle.ts'
import { storeCreation } from './storeCreation.ts'

/** Tries an effect. Whatever is away makes it wait; a fault of ours does too, and is told. */
export async function perform(
  reactor: Reactor,
  situation: Situation,
  effect: Effect,
): Promise<Outcome> {
  try {
    switch (effect.kind) {
      case 'store':
        return await storeCreation(reactor, situation, effect)
      case 'anchor':
        return await anchor(reactor, situation, effect)
      case 'append':
        return await append(reactor, situation, effect)
      case 'settle':
        return await settle(reactor, situation, effect)
      case 'refund':
        return await refundSender(reactor, situation)
    }
  } catch (error) {
    return { is: 'waiting', ...problemOf(error) }
  }
}

/**
 * A stable code, and words. Words of errors that aren't ours may quote what they failed on, such as
 * calldata or a URL with a key in it: of those only the code is kept.
 */
function problemOf(error: unknown): { reason: string; detail: string } {
  const { code, name, message } = error as { code?: unknown; name?: string; message?: string }
  if (typeof code === 'string' && /^[A-Z][A-Z_]+$/.test(code)) {
    return { reason: code, detail: name === 'ProofFailure' ? (message ?? code) : code }
  }
  return { reason: 'FAILED', detail: name ?? 'unknown' }
}
