import DataLoader from 'dataloader'
import type { ChainConfig } from '../../../services/config/chains.ts'
import { cachedUntilListsChange } from '../../../services/store/cache/cachedUntilListsChange.ts'
import { createLruCache } from '../../../services/store/cache/lruCache.ts'
import { listBridges } from '../../../services/store/chains/listBridges.ts'
import type { ChangeFeed } from '../../../services/store/changes/changeFeed.ts'
import type { Db } from '../../../services/store/database/database.ts'
import {
  listStoredTokens,
  loadTokens,
  type StoredToken,
  type TokenKey,
} from '../../../services/store/tokens/storedToken.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { createTokenReader, type ReadToken } from './tokenReader.ts'

/** What is known of a token. */
export type Token = StoredToken & {
  /** The source: the operator, or the token itself. Null while it hasn't been asked. */
  source: 'configuration' | 'chain' | null
  /** Whether its chain's bridge takes it now. */
  isListed: boolean
  /** Least and greatest escrow (amountA + reward) in base units; null if it was never listed. */
  minimum: bigint | null
  maximum: bigint | null
}

/** Tokens' names. */
export type TokenBook = {
  /** What is known of a token. The rest is requested in the background, for the next time. */
  of(chainId: number, address: Hex): Promise<Token>
  /** The configured, the listed and the known ones, by chain and address. */
  list(): Promise<Token[]>
  /**
   * Addresses of the tokens with this symbol, in any letter case. Only the operator's configuration and
   * allow-lists count: anyone can call a token USDC.
   */
  addressesOf(symbol: string): Promise<Hex[]>
  stop(): void
}

type Listing = { isListed: boolean; minimum: bigint; maximum: bigint }

/** Bytes for tokens kept in memory: some ten thousand. */
const ROOM = 5_000_000

type TokenBookOptions = {
  db: Db
  feed: ChangeFeed
  configured: readonly ChainConfig[]
  /** How a token is asked. Default: by its chain's nodes. */
  ask?: ReadToken
}

/** Looks tokens up in the configuration, then the database, then on their chains, asked once. */
export function createTokenBook({ db, feed, configured, ask }: TokenBookOptions): TokenBook {
  const own = new Map(configured.flatMap(configuredTokens).map((one) => [nameOf(one), one]))
  const known = createLruCache<string, StoredToken>(ROOM)
  const reader = createTokenReader(
    db,
    configured,
    (token) => known.set(nameOf(token), token, 200),
    ask,
  )
  const stored = new DataLoader<TokenKey, StoredToken | null, string>(
    async (keys) => {
      const found = new Map((await loadTokens(db, keys)).map((one) => [nameOf(one), one]))
      return keys.map((key) => found.get(nameOf(key)) ?? null)
    },
    { cache: false },
  )
  const listings = cachedUntilListsChange(feed, () => readListings(db))
  const wordsOf = async (key: TokenKey): Promise<StoredToken | null> => {
    const name = nameOf(key)
    const kept = known.get(name)
    if (kept) return kept
    const found = await stored.load(key)
    if (found) known.set(name, found, 200)
    else reader.request(key)
    return found
  }
  const of = async (chainId: number, address: Hex): Promise<Token> => {
    const key = { chainId, address }
    const configuration = own.get(nameOf(key))
    const [words, lists] = await Promise.all([wordsOf(key), listings()])
    const listing = lists.get(nameOf(key)) ?? { isListed: false, minimum: null, maximum: null }
    return {
      ...key,
      symbol: configuration?.symbol ?? words?.symbol ?? null,
      name: words?.name ?? null,
      decimals: configuration?.decimals ?? words?.decimals ?? null,
      source: configuration ? 'configuration' : words ? 'chain' : null,
      ...listing,
    }
  }
  const list = async () => {
    const keys = new Map<string, TokenKey>(own)
    for (const name of (await listings()).keys()) keys.set(name, keyIn(name))
    for (const token of await listStoredTokens(db)) keys.set(nameOf(token), token)
    const all = await Promise.all(
      [...keys.values()].map(({ chainId, address }) => of(chainId, address)),
    )
    return all.toSorted((a, b) => a.chainId - b.chainId || (a.address < b.address ? -1 : 1))
  }
  return {
    of,
    list,
    addressesOf: async (symbol) => {
      const trusted = (await list()).filter(
        (token) =>
          (token.source === 'configuration' || token.minimum !== null) &&
          token.symbol?.toLowerCase() === symbol.toLowerCase(),
      )
      return [...new Set(trusted.map(({ address }) => address))]
    },
    stop: reader.stop,
  }
}

function configuredTokens({ chainId, tokens = {} }: ChainConfig): StoredToken[] {
  return Object.entries(tokens).map(([symbol, { address, decimals }]) => ({
    ...{ chainId, address: address.toLowerCase() as Hex, symbol, name: null, decimals },
  }))
}

async function readListings(db: Db): Promise<Map<string, Listing>> {
  const rows = (await listBridges(db)).flatMap(({ tokens }) => tokens)
  return new Map(
    rows.map(({ chainId, token, listed, minAmount, maxAmount }) => [
      nameOf({ chainId, address: token }),
      { isListed: listed, minimum: minAmount, maximum: maxAmount },
    ]),
  )
}

function nameOf({ chainId, address }: TokenKey): string {
  return `${chainId}:${address}`
}

function keyIn(name: string): TokenKey {
  const [chainId = '', address] = name.split(':')
  return { chainId: Number(chainId), address: address as Hex }
}
