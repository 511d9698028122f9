import { isHex, keccak256 } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { SourceFacts } from '../../../src/intent/intentFacts.ts'
import { findSignedStatement } from './signedStatements.ts'
import type { Signing } from './signingContext.ts'

/** What enclaves signed for an intent's winner, as anyone may read it. */
export type SealedReveal = { solver: Hex; sealed: Hex; signatures: Hex[] }

/**
 * What enclaves once signed for an intent's winner, if it is what they would sign again. The row proves nothing: its
 * signatures must be of exactly what the intent is now and of these bytes, by keys that still count.
 */
export async function findStoredReveal(
  signing: Signing,
  source: SourceFacts,
): Promise<SealedReveal | null> {
  const { sourceChainId, intentId, paramsHash, blobsHash, solver, winningAmountB } = source
  const stored = await findSignedStatement(signing.db, 'reveal', source)
  if (!stored?.bytes || solver === null || winningAmountB === null) return null
  const { bytes: sealed, signatures, signers } = stored
  const amountB = winningAmountB
  const about = { intentId, paramsHash, blobsHash, solver, amountB }
  const message = { ...about, sealedHash: keccak256(sealed) }
  const judge = signing.judgeOn(sourceChainId, 'Reveal', source)
  const isGenuine = (signature: Hex, at: number) => {
    const signer = signers[at]
    return (
      signer !== undefined && isHex(signature) && judge.isGenuine({ message, signature, signer })
    )
  }
  const areGenuine = signatures.length === signers.length && signatures.every(isGenuine)
  if (!areGenuine || !(await haveQuorum(signing, source, signers))) return null
  return { solver, sealed, signatures }
}

/** Whether signatures of a reveal by these keys still make up the intent's quorum. */
export async function haveQuorum(
  signing: Signing,
  source: Pick<SourceFacts, 'sourceChainId' | 'quorum' | 'depositedAt'>,
  signers: readonly Hex[],
): Promise<boolean> {
  const judge = signing.judgeOn(source.sourceChainId, 'Reveal', source)
  const operators = new Set(await Promise.all(signers.map((signer) => judge.operatorOf(signer))))
  return (
    !operators.has(null) && operators.size === signers.length && operators.size >= source.quorum
  )
}
