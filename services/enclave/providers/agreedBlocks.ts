import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { EnclaveChain, Provider } from '../enclaveChain.ts'
import { EnclaveError } from '../enclaveError.ts'
import { agreeOn, type Disagreement } from './agreeOn.ts'
import { ProviderRefusal, requestFromProvider } from './requestFromProvider.ts'

/** All that is believed of a block on providers' word; everything else is proven under its state root. */
export type AgreedBlock = {
  number: number
  hash: Hex
  stateRoot: Hex
  /** Unix seconds. */
  time: number
}

/** Which blocks are a chain's. Everything rejects with an EnclaveError. */
export type AgreedBlocks = {
  block(chain: EnclaveChain, number: number): Promise<AgreedBlock>
  /** Whether as many operators as must agree have that many blocks. */
  hasReached(chain: EnclaveChain, number: number): Promise<boolean>
}

/**
 * A new block may not be everywhere yet: how often, and after how many milliseconds, a provider is
 * asked again.
 */
const ATTEMPTS = 5
const PAUSE = 150

/** Milliseconds that an agreement serves others who ask for the same block. */
const SHARED_FOR = 500

/** Asks the chain's providers, each separately; `agreement` decides what to believe. */
export function rpcBlocks(
  onDisagreement: (disagreement: Disagreement) => void = () => {},
): AgreedBlocks {
  const shared = new Map<string, Promise<AgreedBlock>>()
  const withoutHeaders = new Set<string>()

  async function ask({ url }: Provider, number: number): Promise<AgreedBlock | null> {
    for (let attempt = 1; ; attempt++) {
      const found = asBlock(await requestHeader(url, number), number)
      if (found !== null || attempt === ATTEMPTS) return found
      await sleep(PAUSE)
    }
  }

  /** The full request would return all of the block's transactions. */
  async function requestHeader(url: string, number: number): Promise<unknown> {
    const tag = `0x${number.toString(16)}`
    if (!withoutHeaders.has(url)) {
      try {
        return await requestFromProvider(url, 'eth_getHeaderByNumber', [tag])
      } catch (error) {
        if (!(error instanceof ProviderRefusal)) throw error
        withoutHeaders.add(url)
      }
    }
    return requestFromProvider(url, 'eth_getBlockByNumber', [tag, false])
  }

  return {
    block(chain, number) {
      const key = `${chain.chainId}:${number}`
      const known = shared.get(key)
      if (known !== undefined) return known
      const asked = agreeOn(
        chain,
        `block ${number}`,
        (provider) => ask(provider, number),
        ({ hash, stateRoot, time }) => `${hash} ${stateRoot} ${time}`,
        onDisagreement,
      )
      shared.set(key, asked)
      asked.catch(() => {}).finally(() => setTimeout(() => shared.delete(key), SHARED_FOR).unref())
      return asked
    },
    hasReached({ providers, agreeing }, number) {
      const operators = new Set(providers.map(({ operator }) => operator)).size
      const reached = new Set<string>()
      const answered = new Set<string>()
      return new Promise((resolve, reject) => {
        const asked = providers.map(async ({ url, operator }) => {
          const head = asNumber(
            await requestFromProvider(url, 'eth_blockNumber', []).catch(() => null),
          )
          if (head === null) return
          answered.add(operator)
          if (head >= number) reached.add(operator)
          if (reached.size >= agreeing) resolve(true)
          // The answers still to come can't make it enough.
          const behind = answered.size - reached.size
          if (answered.size >= agreeing && operators - behind < agreeing) resolve(false)
        })
        Promise.all(asked).then(() => {
          if (answered.size >= agreeing) resolve(false)
          else reject(new EnclaveError('PROVIDERS_UNREACHABLE'))
        })
      })
    },
  }
}

/** Reads only the three fields and ignores the rest of the header. */
function asBlock(answer: unknown, asked: number): AgreedBlock | null {
  if (typeof answer !== 'object' || answer === null) return null
  const { hash, stateRoot, timestamp, number } = answer as Record<string, unknown>
  const time = asNumber(timestamp)
  if (!isHash(hash) || !isHash(stateRoot) || time === null || asNumber(number) !== asked)
    return null
  return { number: asked, hash: lower(hash), stateRoot: lower(stateRoot), time }
}

function asNumber(value: unknown): number | null {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,13}$/.test(value)) return null
  return Number(value)
}

function isHash(value: unknown): value is Hex {
  return typeof value === 'string' && /^0x[0-9a-fA-F]{64}$/.test(value)
}

function lower(hash: Hex): Hex {
  return hash.toLowerCase() as Hex
}
