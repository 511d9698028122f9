import type { Hex } from '../../src/event/bridgeEvent.ts'
import { EnclaveError } from '../enclave/enclaveError.ts'
import type { Enclave } from '../enclave/enclaveInterface.ts'

/** An enclave's answer: a signed message, and what else goes into the call. */
export type SignedAnswer = { message: object; signature: Hex; signer: Hex }

/** An answer that enough enclaves gave, and their signatures, sorted by signer as contracts require. */
export type Collected<Answer> = { answer: Answer; signatures: Hex[]; signers: Hex[] }

/** Too few enclaves agree: some are unreachable, lie, or belong to one operator. */
export class QuorumMissingError extends Error {
  override name = 'QuorumMissingError'
  readonly code = 'QUORUM_MISSING'
}

/** Decides as the contract does which signatures count: it rejects a call that includes any other. */
export type SignatureJudge<Answer> = {
  /** Operators that must sign. */
  quorum: number
  /** Whether the named key made the signature. */
  isGenuine(answer: Answer): boolean
  /** The operator, in lower case, for whom a key's signature counts now; null for any other key. */
  operatorOf(signer: Hex): Promise<Hex | null>
  /** Called for each signature that doesn't count. */
  onRejected?(signer: Hex, why: 'forged' | 'not registered'): void
}

/**
 * Milliseconds after which one more enclave is asked: one that is down answers only by its timeout. Not all of them, since
 * answers are slow in a burst too, which would then load every enclave.
 */
const PATIENCE_MS = 1_000

/**
 * Asks enclaves until a quorum of operators has signed and said the same. Asks no more than the quorum needs, but
 * another one for each that refuses, signs wrongly or differs, and one more whenever answers are slow.
 *
 * @throws EnclaveError the most frequent refusal, of equally frequent ones the first; QuorumMissingError when none refused
 */
export function collectSignatures<Answer extends SignedAnswer>(
  enclaves: readonly Enclave[],
  judge: SignatureJudge<NoInfer<Answer>>,
  ask: (enclave: Enclave) => Promise<Answer>,
): Promise<Collected<Answer>> {
  const { quorum } = judge
  const { promise, resolve, reject } = Promise.withResolvers<Collected<Answer>>()
  const groups = new Map<string, Map<Hex, Answer>>()
  const problems: unknown[] = []
  const unasked = [...enclaves]
  let outstanding = 0
  let missing = quorum
  /** Asked because others are slow. */
  let spare = 0

  const take = async (answer: Answer) => {
    const operator = await requireOperator(judge, answer)
    const content = contentOf(answer)
    const group = groups.get(content) ?? new Map<Hex, Answer>()
    groups.set(content, group.set(operator, answer))
    missing = Math.min(missing, quorum - group.size)
    if (missing === 0) resolve(sorted([...group.values()]))
  }
  const note = (error: unknown) => {
    problems.push(error)
    // If one enclave rejects the request itself, the next would too. Of several, the one that rejects it may be wrong.
    if (quorum > 1 || !(error instanceof EnclaveError) || mayOthersSign(error)) return
    unasked.length = 0
    reject(error)
  }
  const askNext = async (enclave: Enclave) => {
    outstanding += 1
    try {
      await take(await ask(enclave))
    } catch (error) {
      note(error)
    }
    outstanding -= 1
    askMore()
  }
  const askMore = () => {
    while (outstanding < missing + spare && unasked.length > 0)
      void askNext(unasked.shift() as Enclave)
    if (outstanding === 0) reject(problemOf(problems, quorum))
  }
  const impatience = setInterval(() => {
    spare += 1
    askMore()
  }, PATIENCE_MS)
  askMore()
  return promise.finally(() => {
    clearInterval(impatience)
    unasked.length = 0
  })
}

async function requireOperator<Answer extends SignedAnswer>(
  judge: SignatureJudge<Answer>,
  answer: Answer,
): Promise<Hex> {
  const isGenuine = judge.isGenuine(answer)
  const operator = isGenuine ? await judge.operatorOf(answer.signer) : null
  if (operator !== null) return operator
  const why = isGenuine ? 'not registered' : 'forged'
  judge.onRejected?.(answer.signer, why)
  throw new QuorumMissingError(`an enclave’s signature is ${why}`)
}

/** Problems that another enclave may not have: missing keys, unreachable nodes, an older version. */
const LOCAL_PROBLEMS: ReadonlySet<string> = new Set([
  'UNKNOWN_OPERATION',
  'REQUEST_INVALID',
  'NO_ROOT',
  'KEY_MISSING',
  'DECRYPTION_FAILED',
  'PROVIDERS_UNREACHABLE',
  'BLOCK_NOT_AGREED',
])

function mayOthersSign({ code }: EnclaveError): boolean {
  return code.startsWith('ENCLAVE_') || LOCAL_PROBLEMS.has(code)
}

/** The most frequent refusal, not the first: an enclave that is down, or lies, may fail first. */
function problemOf(problems: readonly unknown[], quorum: number): unknown {
  const refusals = problems.filter((error) => error instanceof EnclaveError)
  const groups = [...Map.groupBy(refusals, ({ code }) => code).values()]
  const [refusal] = groups.toSorted((one, other) => other.length - one.length)[0] ?? []
  return refusal ?? problems[0] ?? new QuorumMissingError(`fewer than ${quorum} enclaves agree`)
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

/** Everything that is used of an answer, unsigned parts too: one enclave alone could lie about those. */
function contentOf({ signature: _, signer: __, ...content }: SignedAnswer): string {
  return JSON.stringify(content, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}
