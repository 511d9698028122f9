import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { RpcError } from '../../chain/rpcPool/rpcError.ts'
import type { EnclaveChain, Provider } from '../enclaveChain.ts'
import { EnclaveError } from '../enclaveError.ts'
import { requestFromProvider, servesChain } from './requestFromProvider.ts'
import { type Disagreement, requireAgreement } from './requireAgreement.ts'

/** The only facts about a block that providers are trusted for. Everything else is proven under its state root. */
export type AgreedBlock = {
  number: number
  hash: Hex
  stateRoot: Hex
  /** Unix seconds. */
  time: number
}

/** What a chain's providers agree on. Methods reject only with EnclaveErrors. */
export type AgreedBlocks = {
  block(chain: EnclaveChain, number: number): Promise<AgreedBlock>
  /** Whether the required number of operators have this block, with at least this many blocks on top of it. */
  isBuried(chain: EnclaveChain, block: AgreedBlock, confirmations: number): Promise<boolean>
  /** Whether the required number of operators report a head below this height. */
  isBelow(chain: EnclaveChain, height: number): Promise<boolean>
}

/** Attempts, and milliseconds between them, while a provider doesn't have a new block yet. */
const ATTEMPTS = 5
const RETRY_MS = 150

const CACHE_MS = 500

/** Asks each provider of a chain separately, over JSON-RPC. */
export function createAgreedBlocks(
  onDisagreement: (disagreement: Disagreement) => void = () => {},
): AgreedBlocks {
  const recent = new Map<string, Promise<AgreedBlock>>()
  const withoutHeaders = new Set<string>()

  async function fetchBlock({ url }: Provider, number: number): Promise<AgreedBlock | null> {
    for (let attempt = 1; ; attempt++) {
      const block = await requestBlock(url, number)
      if (block !== null || attempt === ATTEMPTS) return block
      await sleep(RETRY_MS)
    }
  }

  /**
   * Prefers `eth_getHeaderByNumber`, since `eth_getBlockByNumber` also lists all transactions. Some hosts refuse it, each in
   * its own way, and some nodes leave the hash out of the header.
   */
  async function requestBlock(url: string, number: number): Promise<AgreedBlock | null> {
    const tag = `0x${number.toString(16)}`
    if (!withoutHeaders.has(url)) {
      const asked = requestFromProvider(url, 'eth_getHeaderByNumber', [tag])
      const header = await asked.catch(undefinedUnlessTimeout)
      const block = parseBlock(header, number)
      if (block !== null || header === null) return block
    }
    const block = parseBlock(
      await requestFromProvider(url, 'eth_getBlockByNumber', [tag, false]),
      number,
    )
    if (block !== null) withoutHeaders.add(url)
    return block
  }

  return {
    block(chain, number) {
      const key = `${chain.chainId}:${number}`
      const cached = recent.get(key)
      if (cached !== undefined) return cached
      const block = requireAgreement(
        chain,
        `block ${number}`,
        (provider) => fetchBlock(provider, number),
        nameOf,
        onDisagreement,
      )
      recent.set(key, block)
      block.catch(() => {}).finally(() => setTimeout(() => recent.delete(key), CACHE_MS).unref())
      return block
    },
    // Of each operator, both: otherwise one that lies about its head would confirm a fork on which another's node is stuck. The
    // head first, so that the block is of a chain that is as long, whatever a reorg has replaced since.
    isBuried: (chain, block, confirmations) =>
      doEnoughReport(chain, async ({ url }) => {
        const head = await requestHead(url)
        if (head === null) return null
        if (head < block.number + confirmations) return false
        const own = await requestBlock(url, block.number).catch(() => null)
        return own === null ? null : nameOf(own) === nameOf(block)
      }),
    isBelow: (chain, height) =>
      doEnoughReport(chain, async ({ url }) => {
        const head = await requestHead(url)
        return head === null ? null : head < height
      }),
  }
}

/** Identifies equal blocks. */
function nameOf({ hash, stateRoot, time }: AgreedBlock): string {
  return `${hash} ${stateRoot} ${time}`
}

/**
 * Whether the required number of operators report something. False as soon as the outstanding answers can't change that.
 *
 * @param ask null when the provider doesn't answer; never rejects
 */
function doEnoughReport(
  { chainId, providers, agreeing }: EnclaveChain,
  ask: (provider: Provider) => Promise<boolean | null>,
): Promise<boolean> {
  const passed = new Set<string>()
  const answered = new Set<string>()
  const outstanding = new Set(providers)
  return new Promise((resolve, reject) => {
    const requests = providers.map(async (provider) => {
      const isServing = await servesChain(provider.url, chainId).catch(() => false)
      const answer = isServing ? await ask(provider) : null
      outstanding.delete(provider)
      if (answer !== null) answered.add(provider.operator)
      if (answer) passed.add(provider.operator)
      const possible = new Set([...passed, ...Array.from(outstanding, ({ operator }) => operator)])
      if (passed.size >= agreeing) resolve(true)
      else if (answered.size >= agreeing && possible.size < agreeing) resolve(false)
    })
    // No effect once there is an answer.
    Promise.all(requests).then(() => reject(new EnclaveError('PROVIDERS_UNREACHABLE')))
  })
}

/** No time is left for another request after a timeout. */
function undefinedUnlessTimeout(error: unknown): undefined {
  if (error instanceof RpcError && error.isTimeout) throw error
}

/** Null when the provider doesn't answer. */
async function requestHead(url: string): Promise<number | null> {
  return parseNumber(await requestFromProvider(url, 'eth_blockNumber', []).catch(() => null))
}

/** Reads only the needed fields, so that headers may gain others. */
function parseBlock(response: unknown, requested: number): AgreedBlock | null {
  if (typeof response !== 'object' || response === null) return null
  const { hash, stateRoot, timestamp, number } = response as Record<string, unknown>
  const time = parseNumber(timestamp)
  if (!isHash(hash) || !isHash(stateRoot) || time === null) return null
  if (parseNumber(number) !== requested) return null
  return {
    number: requested,
    hash: hash.toLowerCase() as Hex,
    stateRoot: stateRoot.toLowerCase() as Hex,
    time,
  }
}

function parseNumber(value: unknown): number | null {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,13}$/.test(value)) return null
  return Number(value)
}

function isHash(value: unknown): value is Hex {
  return typeof value === 'string' && /^0x[0-9a-fA-F]{64}$/.test(value)
}
