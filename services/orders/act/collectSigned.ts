import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { EnclaveError } from '../../enclave/enclaveError.ts'
import type { Enclave } from '../../enclave/port.ts'

/** What an enclave answers that has signed something about an order. */
type SignedAnswer = { message: object; signature: Hex; signer: Hex }

/**
 * Asks enclaves in their order until as many as the order's token requires have signed the same; signatures are
 * sorted by signer, as the vault requires. The vault checks that each is of another operator. Where several must
 * sign, one that refuses or signs something else stops none of the others.
 *
 * @throws EnclaveError what the first of them said, when too few sign
 */
export async function collectSigned<Answer extends SignedAnswer>(
  enclaves: readonly Enclave[],
  quorum: number,
  ask: (enclave: Enclave) => Promise<Answer>,
): Promise<{ answer: Answer; signatures: Hex[] }> {
  const byMessage = new Map<string, Map<Hex, Answer>>()
  const problems: unknown[] = []
  for (const enclave of enclaves) {
    try {
      const answer = await ask(enclave)
      const text = textOf(answer.message)
      const same = byMessage.get(text) ?? new Map<Hex, Answer>()
      byMessage.set(text, same.set(answer.signer, answer))
      if (same.size === quorum) return sorted([...same.values()])
    } catch (error) {
      problems.push(error)
      // If one rejects the request itself, the next would too.
      if (quorum === 1 && error instanceof EnclaveError && !isAway(error)) throw error
    }
  }
  throw problems[0] ?? new EnclaveError('ENCLAVE_UNREACHABLE')
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

function textOf(message: object): string {
  return JSON.stringify(message, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}
