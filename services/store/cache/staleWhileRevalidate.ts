import { readingForAll } from '../database/fairShares.ts'

/** A value, and when its read began, in milliseconds since 1970. */
export type Aged<Value> = { value: Value; readAt: number }

/**
 * Caches the result of a slow read. Once older than `freshFor` milliseconds it is still served while a new read runs; once
 * older than `keptFor`, callers wait for the new one.
 */
export class StaleWhileRevalidate<Value> {
  readonly #freshFor: number
  readonly #keptFor: number
  readonly #now: () => number
  #known: Aged<Value> | null = null
  #reading: Promise<Aged<Value>> | null = null

  constructor({
    freshFor,
    keptFor,
    now = Date.now,
  }: {
    freshFor: number
    keptFor: number
    now?: () => number
  }) {
    this.#freshFor = freshFor
    this.#keptFor = keptFor
    this.#now = now
  }

  /** @param read runs at most once at a time, for all callers; counts against no client's share of the database */
  async get(read: () => Promise<Value>): Promise<Aged<Value>> {
    const age = this.#age()
    if (this.#known && age < this.#freshFor) return this.#known
    this.#reading ??= this.#renew(read)
    if (this.#known && age < this.#keptFor) {
      // A failure reaches the next caller.
      this.#reading.catch(() => {})
      return this.#known
    }
    return this.#reading
  }

  #age(): number {
    const age = this.#known ? this.#now() - this.#known.readAt : Number.POSITIVE_INFINITY
    // The clock was set back: otherwise the value would stay fresh until the clock caught up.
    return age < 0 ? Number.POSITIVE_INFINITY : age
  }

  async #renew(read: () => Promise<Value>): Promise<Aged<Value>> {
    const readAt = this.#now()
    try {
      this.#known = { value: await readingForAll(read), readAt }
      return this.#known
    } finally {
      this.#reading = null
    }
  }
}

/** Caches the result of a slow read for so many milliseconds. */
export function cachedFor<Value>(
  milliseconds: number,
  read: () => Promise<Value>,
): () => Promise<Value> {
  const cache = new StaleWhileRevalidate<Value>({ freshFor: milliseconds, keptFor: milliseconds })
  return async () => (await cache.get(read)).value
}
