import type { EnclaveChain, Provider } from '../enclaveChain.ts'
import { EnclaveError } from '../enclaveError.ts'
import { servesChain } from './requestFromProvider.ts'

/** Providers of one chain contradict each other: one of them is wrong. */
export type Disagreement = {
  chainId: number
  /** The subject, such as `block 17`. */
  about: string
  /** Hosts by answer. */
  answers: { said: string; hosts: string[] }[]
}

type Said<Answer> = { answer: Answer; hosts: string[]; operators: Set<string> }

/**
 * The answer on which the required number of operators agree. Other providers have no veto: one that doesn't answer, or
 * serves another chain, is skipped, and one that contradicts is reported, however late.
 *
 * @param ask returns null when the provider doesn't know
 * @param name identifies equal answers
 * @throws EnclaveError `PROVIDERS_UNREACHABLE`, or `BLOCK_NOT_AGREED` when enough answered
 */
export function requireAgreement<Answer>(
  { chainId, providers, agreeing }: Pick<EnclaveChain, 'chainId' | 'providers' | 'agreeing'>,
  about: string,
  ask: (provider: Provider) => Promise<Answer | null>,
  name: (answer: Answer) => string,
  onDisagreement: (disagreement: Disagreement) => void,
): Promise<Answer> {
  const said = new Map<string, Said<Answer>>()
  let left = providers.length
  return new Promise((resolve, reject) => {
    const take = ({ host, operator }: Provider, answer: Answer) => {
      const key = name(answer)
      const same = said.get(key) ?? { answer, hosts: [], operators: new Set() }
      same.hosts.push(host)
      same.operators.add(operator)
      said.set(key, same)
      if (same.operators.size >= agreeing) resolve(answer)
    }
    const end = () => {
      left -= 1
      if (left > 0) return
      if (said.size > 1) onDisagreement(toDisagreement(chainId, about, said))
      // No effect once there is an agreement.
      reject(new EnclaveError(said.size > 1 ? 'BLOCK_NOT_AGREED' : 'PROVIDERS_UNREACHABLE'))
    }
    if (providers.length === 0) reject(new EnclaveError('PROVIDERS_UNREACHABLE'))
    for (const provider of providers) {
      servesChain(provider.url, chainId)
        .then((isServing) => (isServing ? ask(provider) : null))
        .then((answer) => answer !== null && take(provider, answer))
        // A provider's error may quote its URL, and the key in it.
        .catch(() => {})
        .finally(end)
    }
  })
}

function toDisagreement<Answer>(
  chainId: number,
  about: string,
  said: ReadonlyMap<string, Said<Answer>>,
): Disagreement {
  return { chainId, about, answers: [...said].map(([key, { hosts }]) => ({ said: key, hosts })) }
}
