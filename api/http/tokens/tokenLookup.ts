import DataLoader from 'dataloader'
import type { ChainConfig } from '../../../services/config/chainConfig.ts'
import { cacheUntilAllowListsChange } from '../../../services/store/cache/cacheUntilAllowListsChange.ts'
import { createLruCache } from '../../../services/store/cache/lruCache.ts'
import { listBridges } from '../../../services/store/chains/listBridges.ts'
import type { ChangeFeed } from '../../../services/store/changes/changeFeed.ts'
import type { Db } from '../../../services/store/database/openDatabase.ts'
import {
  listStoredTokens,
  loadTokens,
  type StoredToken,
  type TokenKey,
} from '../../../services/store/tokens/storedToken.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { createTokenMetadataReader } from './tokenMetadataReader.ts'

/** A token's metadata and limits. */
export type Token = StoredToken & {
  /** Where the metadata is from: the operator's configuration, or the token itself. Null: not read yet. */
  source: 'configuration' | 'chain' | null
  /** Whether its chain's bridge accepts it now. */
  isListed: boolean
  /** Minimum and maximum escrow (amountA + reward) in base units; null if the token was never listed. */
  minimum: bigint | null
  maximum: bigint | null
}

export type TokenLookup = {
  /** A token, as far as it is known. What is missing is read in the background. */
  of(chainId: number, address: Hex): Promise<Token>
  /** The configured, listed and known tokens, by chain and address. */
  list(): Promise<Token[]>
  /**
   * Addresses of the tokens with this symbol, in any letter case. Counts only configured tokens and those that
   * a bridge has listed, since anyone can create a token called USDC.
   */
  addressesOf(symbol: string): Promise<Hex[]>
  stop(): void
}

type Listing = { isListed: boolean; minimum: bigint; maximum: bigint }

/** Memory for tokens: some ten thousand. */
const CACHE_BYTES = 5_000_000

type TokenBookOptions = {
  db: Db
  feed: ChangeFeed
  configured: readonly ChainConfig[]
}

/** Looks tokens up in the configuration, then in the database, then once on their chains. */
export function createTokenLookup({ db, feed, configured }: TokenBookOptions): TokenLookup {
  const own = new Map(configured.flatMap(configuredTokens).map((one) => [nameOf(one), one]))
  const known = createLruCache<string, StoredToken>(CACHE_BYTES)
  const reader = createTokenMetadataReader(db, configured, (token) =>
    known.set(nameOf(token), token, 200),
  )
  const stored = new DataLoader<TokenKey, StoredToken | null, string>(
    async (keys) => {
      const found = new Map((await loadTokens(db, keys)).map((one) => [nameOf(one), one]))
      return keys.map((key) => found.get(nameOf(key)) ?? null)
    },
    { cache: false },
  )
  const listings = cacheUntilAllowListsChange(feed, () => readListings(db))
  const metadataOf = async (key: TokenKey): Promise<StoredToken | null> => {
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
    const [metadata, lists] = await Promise.all([metadataOf(key), listings()])
    const listing = lists.get(nameOf(key)) ?? { isListed: false, minimum: null, maximum: null }
    return {
      ...key,
      symbol: configuration?.symbol ?? metadata?.symbol ?? null,
      name: metadata?.name ?? null,
      decimals: configuration?.decimals ?? metadata?.decimals ?? null,
      source: configuration ? 'configuration' : metadata ? 'chain' : null,
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
    chainId,
    address: address.toLowerCase() as Hex,
    symbol,
    name: null,
    decimals,
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
