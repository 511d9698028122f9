import { chainClient } from '../../../services/chain/chainClient.ts'
import { readToken, type TokenWords } from '../../../services/chain/tokens/readToken.ts'
import type { ChainConfig } from '../../../services/config/chains.ts'
import type { Db } from '../../../services/store/database/database.ts'
import {
  type StoredToken,
  saveToken,
  type TokenKey,
} from '../../../services/store/tokens/storedToken.ts'

/** Asks a token for its name. Rejects while its chain doesn't answer. */
export type ReadToken = (key: TokenKey) => Promise<TokenWords>

/**
 * Tokens of a chain that wait to be asked; more are left to a later request, since anyone can name tokens.
 */
const MOST_WAITING = 500
/** Milliseconds after which a token that couldn't be asked is asked again. */
const AGAIN_AFTER = 30_000

/** Asks tokens, those of a chain one after the other, and stores what they say. */
export function createTokenReader(
  db: Db,
  configured: readonly ChainConfig[],
  onRead: (token: StoredToken) => void,
  ask: ReadToken = readFromNodes(configured),
): { request(key: TokenKey): void; stop(): void } {
  let isStopped = false
  const read = async (key: TokenKey): Promise<boolean> => {
    const words = await ask(key).catch(() => null)
    if (words === null) return false
    const token = { ...key, ...words }
    // Without the right to write it is asked again after a restart.
    if (!isStopped) await saveToken(db, token).catch(() => {})
    onRead(token)
    return true
  }
  const queues = new Map(
    configured.map(({ chainId }) => [chainId, createQueue(read, () => isStopped)]),
  )
  return {
    request: (key) => queues.get(key.chainId)?.(key),
    stop: () => {
      isStopped = true
    },
  }
}

/** One chain's tokens. One that can't be asked waits by itself: it holds up no other. */
function createQueue(read: (key: TokenKey) => Promise<boolean>, isStopped: () => boolean) {
  const waiting = new Map<string, TokenKey>()
  const silentUntil = new Map<string, number>()
  let isRunning = false
  const run = async () => {
    isRunning = true
    for (const [address, key] of waiting) {
      if (isStopped()) break
      const isDone = await read(key)
      waiting.delete(address)
      if (silentUntil.size >= MOST_WAITING) silentUntil.clear()
      if (!isDone) silentUntil.set(address, performance.now() + AGAIN_AFTER)
    }
    isRunning = false
  }
  return ({ chainId, address }: TokenKey): void => {
    if (isStopped() || waiting.size >= MOST_WAITING || waiting.has(address)) return
    if (performance.now() < (silentUntil.get(address) ?? 0)) return
    waiting.set(address, { chainId, address })
    if (!isRunning) void run()
  }
}

function readFromNodes(configured: readonly ChainConfig[]): ReadToken {
  const clients = new Map(
    configured.map((chain) => [chain.chainId, chainClient(chain, { timeoutMs: 3_000 })]),
  )
  return async ({ chainId, address }) => {
    const client = clients.get(chainId)
    if (!client) throw new Error(`chain ${chainId} isn’t configured`)
    return readToken(client, address)
  }
}
