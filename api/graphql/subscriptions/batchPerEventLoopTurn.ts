/**
 * Collects the items added in one turn of the event loop and handles them as one batch, because the notifications of a
 * block arrive together. Handles one batch at a time, in order.
 */
export function batchPerEventLoopTurn<Item>(
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
