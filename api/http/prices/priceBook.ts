import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { withDeadline } from '../withDeadline.ts'
import {
  type Price,
  PriceDocumentError,
  type Prices,
  priceKey,
  readPriceDocument,
} from './priceDocument.ts'
import { PriceSourceError, readPrices } from './readPrices.ts'

/** The state of prices. */
type PricesHealth = {
  /**
   * `stale`: prices are too old to be shown. `failing`: they can't be read; the last ones are shown until
   * they are too old.
   */
  status: 'ok' | 'stale' | 'failing'
  /** Prices that are shown, and those that are known. */
  shown: number
  known: number
  /** Time of the newest one shown; null without one. Unix seconds. */
  asOf: number | null
  /** Why the last reading failed; null if it didn't. */
  problem: string | null
}

/** Token prices, if the operator has a source. Memory only: no answer waits for it. */
export type PriceBook = {
  /** A token's price; null without one that is fresh enough. */
  of(chainId: number, token: Hex): Price | null
  /** Null where no prices are configured. */
  health(): PricesHealth | null
  stop(): void
}

/** Without prices no US dollar appears anywhere. */
export const NO_PRICES: PriceBook = { of: () => null, health: () => null, stop: () => {} }

type PriceBookOptions = {
  /** The path of a file, or an http(s) URL. */
  from: string
  /** Seconds after which a price isn't shown any more. */
  maxAgeSeconds: number
  /** Called, with one line, when reading prices starts to fail and when it works again. */
  onChange?: (words: string, isProblem: boolean) => void
  /** Milliseconds between two readings. Default: 5,000 of a file, 60,000 over HTTP. */
  everyMs?: number
  /** Milliseconds that a reading may take. Default 5,000. */
  patienceMs?: number
}

/** Seconds by which a source's clock may be ahead. */
const AHEAD = 60

/**
 * Reads prices in the background, periodically; a reading that hangs or is invalid changes nothing.
 */
export function startPriceBook(options: PriceBookOptions): PriceBook {
  const { from, maxAgeSeconds, onChange = () => {}, patienceMs = 5_000 } = options
  const everyMs = options.everyMs ?? (/^https?:/i.test(from) ? 60_000 : 5_000)
  const stopping = new AbortController()
  let prices: Prices = new Map()
  let problem: string | null = null
  let reported = ''
  let next: NodeJS.Timeout | undefined
  let reading: Promise<true> | null = null
  const isShown = ({ asOf }: Price) => {
    const age = Date.now() / 1_000 - asOf
    return age <= maxAgeSeconds && age >= -AHEAD
  }
  const readOnce = async (signal: AbortSignal) => {
    try {
      prices = readPriceDocument(await readPrices(from, signal))
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
  const look = async () => {
    // No second reading starts while one hangs: each would hold a thread or a connection.
    reading ??= readOnce(AbortSignal.any([stopping.signal, AbortSignal.timeout(patienceMs)]))
    const isDone = await withDeadline(patienceMs, reading, false)
    if (stopping.signal.aborted) return
    if (!isDone) problem = 'it took too long'
    const words = describe(health())
    if (words !== reported)
      onChange(words === '' ? 'USD prices are read again' : words, words !== '')
    reported = words
    next = setTimeout(look, everyMs).unref()
  }
  void look()
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

/** What is wrong, in one line; empty if nothing is. */
function describe({ status, shown, known, problem }: PricesHealth): string {
  if (status === 'failing')
    return `USD prices can’t be read: ${problem}. Those that were read are shown until they are too old`
  if (status === 'stale')
    return `${known - shown} of ${known} USD prices are too old, or of a time to come: they aren’t shown`
  return ''
}

function wordsOf(error: unknown): string {
  const isOurs = error instanceof PriceSourceError || error instanceof PriceDocumentError
  return isOurs ? error.message : 'an unexpected error'
}
