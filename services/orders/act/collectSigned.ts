import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { EnclaveError } from '../../enclave/enclaveError.ts'
import type { Enclave } from '../../enclave/enclaveInterface.ts'

/** What an enclave answers that has signed something about an order. */
type SignedAnswer = { message: object; signature: Hex; signer: Hex }

/** What decides whether a signature counts: one that doesn't would make the vault refuse all of them. */
export type SignatureJudge<Answer> = {
  /** Whether it was made by the key that it names. */
  isGenuine(answer: Answer): boolean
  /** The operator of a key whose signatures the vault takes now; null for another key. */
  operatorOf(signer: Hex): Promise<Hex | null>
  /** Called with each answer that doesn't count. */
  onWrong(signer: Hex, why: 'forged' | 'not registered'): void
}

/**
 * Asks enclaves in their order until as many operators as the order's token requires have signed the same; signatures
 * are sorted by signer, as the vault requires. Where several must sign, one that refuses, signs something else or
 * signs wrongly stops none of the others.
 *
 * @throws EnclaveError what the first of them said, when too few sign
 */
export async function collectSigned<Answer extends SignedAnswer>(
  enclaves: readonly Enclave[],
  quorum: number,
  judge: SignatureJudge<NoInfer<Answer>>,
  ask: (enclave: Enclave) => Promise<Answer>,
): Promise<{ answer: Answer; signatures: Hex[] }> {
  const byContent = new Map<string, Map<Hex, Answer>>()
  const problems: unknown[] = []
  for (const enclave of enclaves) {
    try {
      const answer = await ask(enclave)
      const operator = await operatorThatCounts(judge, answer)
      if (operator === null) continue
      const text = contentOf(answer)
      const same = byContent.get(text) ?? new Map<Hex, Answer>()
      byContent.set(text, same.set(operator, answer))
      if (same.size === quorum) return sorted([...same.values()])
    } catch (error) {
      problems.push(error)
      // If one rejects the request itself, the next would too.
      if (quorum === 1 && error instanceof EnclaveError && !isAway(error)) throw error
    }
  }
  throw problems[0] ?? new EnclaveError('ENCLAVE_UNREACHABLE')
}

async function operatorThatCounts<Answer extends SignedAnswer>(
  judge: SignatureJudge<Answer>,
  answer: Answer,
): Promise<Hex | null> {
  const isGenuine = judge.isGenuine(answer)
  const operator = isGenuine ? await judge.operatorOf(answer.signer) : null
  if (operator === null) judge.onWrong(answer.signer, isGenuine ? 'not registered' : 'forged')
  return operator
}

function sorted<Answer extends SignedAnswer>(answers: Answer[]) {
  const inOrder = answers.toSorted((one, other) => (one.signer < other.signer ? -1 : 1))
  return { answer: inOrder[0] as Answer, signatures: inOrder.map(({ signature }) => signature) }
}

/** Refusals for lack of something that another enclave may have: a connection, keys, nodes. */
const LACKS = ['NO_ROOT', 'DECRYPTION_FAILED', 'PROVIDERS_UNREACHABLE', 'BLOCK_NOT_AGREED']

function isAway({ code }: EnclaveError): boolean {
  return code.startsWith('ENCLAVE_') || LACKS.includes(code)
}

/** All that goes into the call: what isn't signed itself must be the same too. */
function contentOf({ signature: _, signer: __, ...content }: SignedAnswer): string {
  return JSON.stringify(content, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}
