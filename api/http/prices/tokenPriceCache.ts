import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { withDeadline } from '../withDeadline.ts'
import {
  type Price,
  PriceDocumentError,
  type Prices,
  parsePriceDocument,
  priceKey,
} from './priceDocument.ts'
import { PriceSourceError, readPriceFileOrUrl } from './readPriceFileOrUrl.ts'

type PricesHealth = {
  /**
   * `stale`: some prices are too old to show. `failing`: the source can't be read; the last prices are shown
   * until they are too old.
   */
  status: 'ok' | 'stale' | 'failing'
  /** Number of prices shown and known. */
  shown: number
  known: number
  /** Unix seconds of the newest price shown; null if none is. */
  asOf: number | null
  /** Why the last read failed; null if it didn't. */
  problem: string | null
}

/** Token prices in memory, read in the background. */
export type TokenPriceCache = {
  /** A token's price; null if none is fresh enough. */
  of(chainId: number, token: Hex): Price | null
  /** Null if no prices are configured. */
  health(): PricesHealth | null
  stop(): void
}

/** Used if no prices are configured: no dollar amounts appear anywhere. */
export const NO_PRICES: TokenPriceCache = { of: () => null, health: () => null, stop: () => {} }

type PriceBookOptions = {
  /** The path of a file, or an http(s) URL. */
  from: string
  /** Seconds after which a price is no longer shown. */
  maxAgeSeconds: number
  /** Called with a line for the log when reading prices starts to fail, and when it works again. */
  onChange?: (words: string, isProblem: boolean) => void
  /** Milliseconds between reads. Default: 5,000 for a file, 60,000 over HTTP. */
  everyMs?: number
  /** Milliseconds that a read may take. Default 5,000. */
  timeoutMs?: number
}

/** Seconds by which a source's clock may be ahead. */
const MAX_AHEAD = 60

/** Reads prices periodically. A read that hangs or fails keeps the last prices. */
export function startTokenPriceCache(options: PriceBookOptions): TokenPriceCache {
  const { from, maxAgeSeconds, onChange = () => {}, timeoutMs = 5_000 } = options
  const everyMs = options.everyMs ?? (/^https?:/i.test(from) ? 60_000 : 5_000)
  const stopping = new AbortController()
  let prices: Prices = new Map()
  let problem: string | null = null
  let reported = ''
  let next: NodeJS.Timeout | undefined
  let reading: Promise<true> | null = null
  const isShown = ({ asOf }: Price) => {
    const age = Date.now() / 1_000 - asOf
    return age <= maxAgeSeconds && age >= -MAX_AHEAD
  }
  const readOnce = async (signal: AbortSignal) => {
    try {
      prices = parsePriceDocument(await readPriceFileOrUrl(from, signal))
      problem = null
    } catch (error) {
      problem = wordsOf(error)
    } finally {
      reading = null
    }
    return true as const
  }
  const health = (): PricesHealth => {
    const shown = [...prices.values()].filter(isShown)
    const asOf = shown.length === 0 ? null : Math.max(...shown.map((one) => one.asOf))
    const status = problem !== null ? 'failing' : shown.length < prices.size ? 'stale' : 'ok'
    return { status, shown: shown.length, known: prices.size, asOf, problem }
  }
  const poll = async () => {
    // No second read starts while one hangs, since each holds a thread or a connection.
    reading ??= readOnce(AbortSignal.any([stopping.signal, AbortSignal.timeout(timeoutMs)]))
    const isDone = await withDeadline(timeoutMs, reading, false)
    if (stopping.signal.aborted) return
    if (!isDone) problem = 'it took too long'
    const words = describe(health())
    if (words !== reported)
      onChange(words === '' ? 'USD prices can be read again' : words, words !== '')
    reported = words
    next = setTimeout(poll, everyMs).unref()
  }
  void poll()
  return {
    of: (chainId, token) => {
      const price = prices.get(priceKey(chainId, token))
      return price && isShown(price) ? price : null
    },
    health,
    stop: () => {
      stopping.abort()
      clearTimeout(next)
    },
  }
}

/** The problem, in one line; empty if there is none. */
function describe({ status, shown, known, problem }: PricesHealth): string {
  if (status === 'failing')
    return `USD prices can’t be read: ${problem}. The last prices are shown until they are too old`
  if (status === 'stale')
    return `${known - shown} of ${known} USD prices are too old or dated in the future, and aren’t shown`
  return ''
}

function wordsOf(error: unknown): string {
  const isOurs = error instanceof PriceSourceError || error instanceof PriceDocumentError
  return isOurs ? error.message : 'an unexpected error'
}
