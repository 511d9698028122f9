import type { SourceFacts } from '../../../src/intent/intentFacts.ts'
import type { ResponseOf } from '../../enclave/enclaveInterface.ts'
import { dropBadEvidence } from '../evidence/findDeepEvidence.ts'
import { insertEntries, toStealthEntries } from '../recipients/entries/stealthEntry.ts'
import { type Collected, collectSignatures } from './collectSignatures.ts'
import { saveSignedStatement } from './signedStatements.ts'
import type { Signing } from './signingContext.ts'

/** Where an intent's deposit is, and how deep it has to be. */
export type DepositAt = {
  /** Block of the deposit. */
  from: number
  /** The source chain's head, as far as it is known. */
  head: number
  depth: number
}

/** What is revealed to the winner, or how many blocks are missing until it may be. */
type RevealResult =
  | { is: 'revealed'; reveal: Collected<ResponseOf<'revealToWinner'>> }
  | { is: 'early'; missingBlocks: number }

/**
 * Has the enclaves reveal to an intent's winner whom to pay: the same bytes and recipients each time. What
 * they signed is stored, for anyone who wants to send it.
 *
 * @throws EnclaveError RpcError QuorumMissingError BlobsMissingError
 */
export async function revealRecipients(
  signing: Signing,
  source: SourceFacts,
  deposit: DepositAt,
): Promise<RevealResult> {
  const prover = signing.proverOn(source.sourceChainId)
  const found = await prover.deep(source, deposit)
  if (found.is === 'early') return found
  const reveal = await dropBadEvidence(
    () => prover.forget(source),
    () =>
      collectSignatures(
        signing.enclaves,
        source.quorum,
        signing.judgeOn(source.sourceChainId, 'Reveal'),
        (enclave) => enclave.revealToWinner({ intent: found.evidence }),
      ),
  )
  const { sealed, replaced } = reveal.answer
  await insertEntries(signing.db, toStealthEntries(source, replaced))
  await saveSignedStatement(signing.db, 'reveal', source, reveal, sealed)
  return { is: 'revealed', reveal }
}
