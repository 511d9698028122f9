import type { SourceFacts } from '../../../src/intent/intentFacts.ts'
import type { ResponseOf } from '../../enclave/enclaveInterface.ts'
import { type Collected, collectSignatures } from '../../quorum/collectSignatures.ts'
import { dropBadEvidence } from '../evidence/findConfirmedStorageEvidence.ts'
import { insertEntries, toStealthEntries } from '../recipients/entries/stealthEntryRows.ts'
import { saveSignedStatement } from './signedStatements.ts'
import type { Signing } from './signingContext.ts'

/** The block of an intent's deposit, and its required depth. */
export type DepositAt = {
  /** Block of the deposit. */
  from: number
  /** The known head of the source chain. */
  head: number
  depth: number
}

/** The reveal for the winner, or the number of blocks missing until it is allowed. */
type RevealResult =
  | { is: 'revealed'; reveal: Collected<ResponseOf<'revealToWinner'>> }
  | { is: 'early'; missingBlocks: number }

/**
 * Has the enclaves reveal an intent's recipients to its winner: the same bytes and recipients each time. Stores what
 * they signed, so that anyone can send it.
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
    () => prover.forget(source, found.evidence),
    () =>
      collectSignatures(
        signing.enclaves,
        signing.judgeOn(source.sourceChainId, 'Reveal', source),
        (enclave) => enclave.revealToWinner({ intent: found.evidence }),
      ),
  )
  const { sealed, replaced } = reveal.answer
  // Together, since a stored reveal is served without recording its Safes anew, and in this order, since the Safes of an
  // intent that seems to have ended are deleted only while no reveal of it is stored.
  await signing.db.transaction().execute(async (db) => {
    await saveSignedStatement(db, 'reveal', source, reveal, sealed)
    await insertEntries(db, toStealthEntries(source, replaced))
  })
  return { is: 'revealed', reveal }
}
