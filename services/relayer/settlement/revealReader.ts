import type { SourceFacts } from '../../../src/intent/intentFacts.ts'
import type { ResponseOf } from '../../enclave/enclaveInterface.ts'
import type { Collected } from '../../quorum/collectSignatures.ts'
import { createLruCache } from '../../store/cache/lruCache.ts'
import { findStoredReveal, haveQuorum, type SealedReveal } from './findStoredReveal.ts'
import { type DepositAt, revealRecipients } from './revealRecipients.ts'
import type { Signing } from './signingContext.ts'

type Whole = Collected<ResponseOf<'revealToWinner'>>

/** A reveal with its recipients. Never log it. */
export type PlainReveal = SealedReveal &
  Pick<Whole['answer'], 'message' | 'recipients' | 'amounts' | 'namingHash'> &
  Pick<Whole, 'signers'>

type Read<Reveal> = { is: 'revealed'; reveal: Reveal } | { is: 'early'; missingBlocks: number }

/** Runs a task that costs the enclave something, or refuses to. */
type Admit = <Result>(task: () => Promise<Result>) => Promise<Result>

/** @throws as `revealRecipients` and `admit` */
export type RevealReader<Reveal> = (
  source: SourceFacts,
  deposit: DepositAt,
  admit: Admit,
) => Promise<Read<Reveal>>

/**
 * Read what the enclaves reveal to winners. They always reveal the same about the same intent, so they are asked once,
 * however many callers there are.
 */
export type RevealReaders = {
  /** For anyone. */
  sealed: RevealReader<SealedReveal>
  /** With the recipients. */
  plain: RevealReader<PlainReveal>
}

/** Memory for reveals, in bytes: of a few hundred intents with 200 recipients each. */
const KNOWN_BYTES = 16 * 1024 * 1024

export function createRevealReader(signing: Signing): RevealReaders {
  const known = createLruCache<string, PlainReveal>(KNOWN_BYTES)
  const asked = new Map<string, Promise<Read<PlainReveal>>>()

  async function ask(source: SourceFacts, deposit: DepositAt): Promise<Read<PlainReveal>> {
    const found = await revealRecipients(signing, source, deposit)
    if (found.is === 'early') return found
    const { answer, signatures, signers } = found.reveal
    const { message, sealed, recipients, amounts, namingHash } = answer
    const { solver } = message
    const shown = { solver, sealed, signatures, signers }
    const reveal = { ...shown, message, recipients, amounts, namingHash }
    // From what was proven: rows of the index may contradict it.
    const key = keyOf({ ...source, ...message, winningAmountB: message.amountB })
    known.set(key, reveal, 2 * sealed.length + 300 * recipients.length)
    return { is: 'revealed', reveal }
  }

  /** Concurrent calls for the same reveal share one answer. */
  function askOnce(source: SourceFacts, deposit: DepositAt): Promise<Read<PlainReveal>> {
    const key = keyOf(source)
    const begun = asked.get(key) ?? ask(source, deposit)
    asked.set(key, begun)
    const forget = () => {
      if (asked.get(key) === begun) asked.delete(key)
    }
    begun.then(forget, forget)
    return begun
  }

  /**
   * Each reader is admitted separately, so that nobody waits in another's queue or gets another's refusal. A call that
   * is already under way costs nothing more.
   */
  async function askInTurn(source: SourceFacts, deposit: DepositAt, admit: Admit) {
    const begun = asked.get(keyOf(source))
    if (begun) return begun
    return admit(async (): Promise<Read<PlainReveal>> => {
      // Another may have been answered while this one waited.
      const reveal = await findKnown(source)
      return reveal ? { is: 'revealed', reveal } : askOnce(source, deposit)
    })
  }

  async function findKnown(source: SourceFacts): Promise<PlainReveal | null> {
    const reveal = known.get(keyOf(source))
    const counts = reveal !== undefined && (await haveQuorum(signing, source, reveal.signers))
    return counts ? reveal : null
  }

  return {
    async sealed(source, deposit, admit) {
      const reveal = (await findKnown(source)) ?? (await findStoredReveal(signing, source))
      return reveal ? { is: 'revealed', reveal } : askInTurn(source, deposit, admit)
    },
    async plain(source, deposit, admit) {
      const reveal = await findKnown(source)
      return reveal ? { is: 'revealed', reveal } : askInTurn(source, deposit, admit)
    },
  }
}

/** All that a reveal depends on. */
function keyOf(source: SourceFacts): string {
  const { sourceChainId, intentId, paramsHash, blobsHash, solver, winningAmountB } = source
  return [sourceChainId, intentId, paramsHash, blobsHash, solver, winningAmountB].join(' ')
}
