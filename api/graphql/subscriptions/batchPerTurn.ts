/**
 * Gathers what is added in one turn of the event loop and hands it over as one batch, one batch at a
 * time and in order: notifications of one block come together, and so does their work.
 */
export function batchPerTurn<Item>(
  handle: (items: Item[]) => Promise<void>,
  onError: (error: unknown) => void,
): (item: Item) => void {
  let pending: Item[] = []
  let busy = false
  const run = async () => {
    while (pending.length > 0) {
      const items = pending
      pending = []
      await handle(items).catch(onError)
    }
    busy = false
  }
  return (item) => {
    pending.push(item)
    if (busy) return
    busy = true
    setImmediate(run)
  }
}
