import { createNodeClients } from '../../../services/chain/chainClient.ts'
import {
  readTokenMetadata,
  type TokenMetadata,
} from '../../../services/chain/tokens/readTokenMetadata.ts'
import { findMajority } from '../../../services/chain/transactions/medianAndMajority.ts'
import { createQueryAllProviders } from '../../../services/chain/transactions/queryAllProviders.ts'
import type { ChainConfig } from '../../../services/config/chainConfig.ts'
import type { Db } from '../../../services/store/database/openDatabase.ts'
import {
  type StoredToken,
  saveToken,
  type TokenKey,
} from '../../../services/store/tokens/storedToken.ts'

/** Reads a token's metadata. Rejects while most of its chain's nodes don't give the same: it is stored for good. */
type ReadTokenMetadata = (key: TokenKey) => Promise<TokenMetadata>

/** Queued tokens per chain. Further ones are left to a later request, since anyone can name tokens. */
const MAX_WAITING = 500
/** Milliseconds after which a failed read is retried. */
const RETRY_MS = 30_000

/** Reads tokens' metadata, one token per chain at a time, and stores it. */
export function createTokenMetadataReader(
  db: Db,
  configured: readonly ChainConfig[],
  onRead: (token: StoredToken) => void,
): { request(key: TokenKey): void; stop(): void } {
  let isStopped = false
  const readMetadata = readFromNodes(configured)
  const read = async (key: TokenKey): Promise<boolean> => {
    const metadata = await readMetadata(key).catch(() => null)
    if (metadata === null) return false
    const token = { ...key, ...metadata }
    // If it can't be stored, it is read again after a restart.
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

/** One chain's queue. A token that can't be read is skipped for a while, and holds up no other. */
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
      if (silentUntil.size >= MAX_WAITING) silentUntil.clear()
      if (!isDone) silentUntil.set(address, performance.now() + RETRY_MS)
    }
    isRunning = false
  }
  return ({ chainId, address }: TokenKey): void => {
    if (isStopped() || waiting.size >= MAX_WAITING || waiting.has(address)) return
    if (performance.now() < (silentUntil.get(address) ?? 0)) return
    waiting.set(address, { chainId, address })
    if (!isRunning) void run()
  }
}

export function readFromNodes(configured: readonly ChainConfig[]): ReadTokenMetadata {
  const nodes = new Map(
    configured.map((chain) => {
      const clients = createNodeClients(chain, 3_000)
      return [chain.chainId, { count: clients.length, queryAll: createQueryAllProviders(clients) }]
    }),
  )
  return async ({ chainId, address }) => {
    const known = nodes.get(chainId)
    if (!known) throw new Error(`chain ${chainId} isn’t configured`)
    const answers = await known.queryAll((client) => readTokenMetadata(client, address), nameOf)
    const agreed = findMajority(answers, nameOf)
    const isByMost = 2 * answers.length > known.count
    if (agreed === null || !isByMost) throw new Error('the chain’s nodes don’t agree')
    return agreed
  }
}

function nameOf(metadata: TokenMetadata): string {
  return JSON.stringify(metadata)
}
