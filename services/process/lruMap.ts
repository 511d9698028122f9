/** A map of at most so many entries; it drops the one that was set or read the longest ago. */
export class LruMap<Key, Value> extends Map<Key, Value> {
  readonly #most: number

  constructor(most: number) {
    super()
    this.#most = most
  }

  override get(key: Key): Value | undefined {
    const value = super.get(key)
    if (value === undefined && !this.has(key)) return undefined
    // To the end: the map's order is that of the last use.
    super.delete(key)
    super.set(key, value as Value)
    return value
  }

  override set(key: Key, value: Value): this {
    super.delete(key)
    super.set(key, value)
    if (this.size > this.#most) super.delete(this.keys().next().value as Key)
    return this
  }
}
