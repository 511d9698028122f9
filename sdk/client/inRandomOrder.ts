/** The items in an order that nobody can predict. */
export function inRandomOrder<Item>(items: readonly Item[]): Item[] {
  const places = crypto.getRandomValues(new Uint32Array(items.length))
  return items
    .map((item, at) => ({ item, place: places[at]! }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item)
}
