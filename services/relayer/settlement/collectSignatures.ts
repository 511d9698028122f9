import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { EnclaveError } from '../../enclave/enclaveError.ts'
import type { Enclave } from '../../enclave/enclaveInterface.ts'

/** An enclave's answer with its signature. */
export type SignedAnswer = { message: object; signature: Hex; signer: Hex }

/** An answer that enough enclaves gave, and their signatures, sorted by signer as contracts require. */
export type Collected<Answer> = { answer: Answer; signatures: Hex[]; signers: Hex[] }

/** Too few enclaves agree: some are unreachable, lie, or belong to one operator. */
export class QuorumMissingError extends Error {
  override name = 'QuorumMissingError'
  readonly code = 'QUORUM_MISSING'
}

/** Decides whether a signature counts. */
export type Judge<Answer> = {
  /** Whether it was made by the key that it names. */
  isGenuine(answer: Answer): boolean
  /** A key's operator in the registry, lower case; null for a key that doesn't count. */
  operatorOf(signer: Hex): Promise<Hex | null>
  /** Whether the bridge accepts its signature where one is enough. */
  countsAlone(signer: Hex): Promise<boolean>
}

/**
 * Asks enclaves until as many operators as an intent's token requires have signed the same message. Skips unreachable
 * enclaves, and ignores those that sign something else or nothing.
 *
 * @throws EnclaveError the first refusal, when none signs; QuorumMissingError
 */
export async function collectSignatures<Answer extends SignedAnswer>(
  enclaves: readonly Enclave[],
  quorum: number,
  judge: Judge<NoInfer<Answer>>,
  ask: (enclave: Enclave) => Promise<Answer>,
): Promise<Collected<Answer>> {
  const askOne = async (enclave: Enclave) => {
    const answer = await ask(enclave)
    if (!judge.isGenuine(answer)) throw new QuorumMissingError('an enclave’s signature is wrong')
    return answer
  }
  if (quorum === 1) return signedByOne(enclaves, judge, askOne)
  const { promise, resolve, reject } = Promise.withResolvers<Collected<Answer>>()
  const groups = new Map<string, Map<Hex, Answer>>()
  const problems: unknown[] = []
  let open = enclaves.length
  const take = async (answer: Answer) => {
    const operator = await judge.operatorOf(answer.signer)
    if (operator === null) throw new QuorumMissingError('signed by a key that no registry knows')
    const name = textOf(answer.message)
    const group = groups.get(name) ?? new Map<Hex, Answer>()
    groups.set(name, group.set(operator, answer))
    if (group.size >= quorum) resolve(sorted([...group.values()].slice(0, quorum)))
  }
  for (const enclave of enclaves) {
    void askOne(enclave)
      .then(take)
      .catch((error: unknown) => problems.push(error))
      .finally(() => {
        open -= 1
        if (open === 0) reject(problemOf(problems, quorum))
      })
  }
  return promise
}

/** Returns the first enclave's signature; asks the next one only if that fails. */
async function signedByOne<Answer extends SignedAnswer>(
  enclaves: readonly Enclave[],
  judge: Judge<NoInfer<Answer>>,
  ask: (enclave: Enclave) => Promise<Answer>,
): Promise<Collected<Answer>> {
  const problems: unknown[] = []
  for (const enclave of enclaves) {
    try {
      const answer = await ask(enclave)
      if (await judge.countsAlone(answer.signer)) return sorted([answer])
      throw new QuorumMissingError('signed by a key that is revoked or not active')
    } catch (error) {
      problems.push(error)
      // If one rejects the request itself, the next would too.
      if (error instanceof EnclaveError && !isAway(error)) break
    }
  }
  throw problemOf(problems, 1)
}

function isAway({ code }: EnclaveError): boolean {
  return code.startsWith('ENCLAVE_') || code === 'NO_ROOT' || code === 'KEY_MISSING'
}

function problemOf(problems: readonly unknown[], quorum: number): unknown {
  const [first] = problems.filter((error) => error instanceof EnclaveError)
  return first ?? problems[0] ?? new QuorumMissingError(`fewer than ${quorum} enclaves agree`)
}

function sorted<Answer extends SignedAnswer>(answers: Answer[]): Collected<Answer> {
  const inOrder = answers.toSorted((one, other) => (lower(one) < lower(other) ? -1 : 1))
  return {
    answer: inOrder[0] as Answer,
    signatures: inOrder.map(({ signature }) => signature),
    signers: inOrder.map(({ signer }) => signer),
  }
}

function lower({ signer }: SignedAnswer): string {
  return signer.toLowerCase()
}

function textOf(message: object): string {
  return JSON.stringify(message, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}
