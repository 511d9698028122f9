import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { EnclaveError } from '../../enclave/enclaveError.ts'
import type { Enclave } from '../../enclave/enclaveInterface.ts'

/** An enclave's answer: a signed message about an order. */
type SignedAnswer = { message: object; signature: Hex; signer: Hex }

/** Decides which signatures count. The vault rejects a call that includes any other. */
export type SignatureJudge<Answer> = {
  /** Whether the named key made the signature. */
  isGenuine(answer: Answer): boolean
  /** The operator of a key whose signatures the vault accepts now; null for any other key. */
  operatorOf(signer: Hex): Promise<Hex | null>
  /** Called for each signature that doesn't count. */
  onRejected(signer: Hex, why: 'forged' | 'not registered'): void
}

/**
 * Asks the enclaves in order until a quorum of operators has signed the same message. Signatures are sorted by signer,
 * as the vault requires. An enclave that refuses, signs another message or signs wrongly doesn't stop the others.
 *
 * @throws EnclaveError the first refusal, when too few sign
 */
export async function collectEnclaveSignatures<Answer extends SignedAnswer>(
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
      const operator = await acceptedOperator(judge, answer)
      if (operator === null) continue
      const content = contentOf(answer)
      const byOperator = byContent.get(content) ?? new Map<Hex, Answer>()
      byContent.set(content, byOperator.set(operator, answer))
      if (byOperator.size === quorum) return sorted([...byOperator.values()])
    } catch (error) {
      problems.push(error)
      // If one enclave rejects the request itself, the next would too.
      if (quorum === 1 && error instanceof EnclaveError && !mayOthersSign(error)) throw error
    }
  }
  throw problems[0] ?? new EnclaveError('ENCLAVE_UNREACHABLE')
}

async function acceptedOperator<Answer extends SignedAnswer>(
  judge: SignatureJudge<Answer>,
  answer: Answer,
): Promise<Hex | null> {
  const isGenuine = judge.isGenuine(answer)
  const operator = isGenuine ? await judge.operatorOf(answer.signer) : null
  if (operator === null) judge.onRejected(answer.signer, isGenuine ? 'not registered' : 'forged')
  return operator
}

function sorted<Answer extends SignedAnswer>(answers: Answer[]) {
  const inOrder = answers.toSorted((one, other) => (one.signer < other.signer ? -1 : 1))
  return { answer: inOrder[0] as Answer, signatures: inOrder.map(({ signature }) => signature) }
}

/** Problems that another enclave may not have: missing keys, unreachable nodes. */
const LOCAL_PROBLEMS = ['NO_ROOT', 'DECRYPTION_FAILED', 'PROVIDERS_UNREACHABLE', 'BLOCK_NOT_AGREED']

function mayOthersSign({ code }: EnclaveError): boolean {
  return code.startsWith('ENCLAVE_') || LOCAL_PROBLEMS.includes(code)
}

/** Everything that goes into the call, unsigned parts too: they must be identical as well. */
function contentOf({ signature: _, signer: __, ...content }: SignedAnswer): string {
  return JSON.stringify(content, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}
