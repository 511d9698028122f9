/** A queue of bounded memory between one writer and one reader. */
export type BoundedQueue<Value> = {
  /** Ignored once the queue has ended. */
  push(value: Value): void
  /** Fails the reader once it has read the queued values. */
  fail(error: Error): void
  /** Ends once the reader has read the queued values. */
  end(): void
  values: AsyncIterableIterator<Value>
}

type BoundedQueueOptions<Value> = {
  capacity: number
  /** The weight of a value, and the maximum queued weight. Default: unlimited. */
  room?: { most: number; weigh: (value: Value) => number }
  /** The error for a reader that falls further behind; it replaces the queued values. */
  overflow: () => Error
  /** Called once, when the queue ends, fails or is left by its reader. */
  onClose: () => void
}

type Waiting<Value> = {
  resolve: (result: IteratorResult<Value>) => void
  reject: (error: Error) => void
}

/** Creates a queue; a reader that is too slow is dropped. */
export function createBoundedQueue<Value>(
  options: BoundedQueueOptions<Value>,
): BoundedQueue<Value> {
  const { capacity, room = { most: 0, weigh: () => 0 } } = options
  let waiting: Value[] = []
  let weight = 0
  const readers: Waiting<Value>[] = []
  let closed = false
  let failure: Error | null = null

  const close = (error: Error | null) => {
    if (closed) return
    closed = true
    failure = error
    settleReaders()
    options.onClose()
  }
  const settleReaders = () => {
    for (const reader of readers.splice(0)) next().then(reader.resolve, reader.reject)
  }
  const push = (value: Value) => {
    if (closed) return
    const reader = readers.shift()
    if (reader) return reader.resolve({ value, done: false })
    const isFull = waiting.length >= capacity || weight > room.most
    waiting.push(value)
    weight += room.weigh(value)
    if (!isFull) return
    waiting = []
    close(options.overflow())
  }
  const next = async (): Promise<IteratorResult<Value>> => {
    const value = waiting.shift()
    if (value !== undefined) {
      weight -= room.weigh(value)
      return { value, done: false }
    }
    if (!closed) return new Promise((resolve, reject) => readers.push({ resolve, reject }))
    if (failure === null) return { value: undefined, done: true }
    const error = failure
    failure = null
    throw error
  }
  const leave = async (): Promise<IteratorResult<Value>> => {
    waiting = []
    close(null)
    failure = null
    return { value: undefined, done: true }
  }
  const values: AsyncIterableIterator<Value> = {
    next,
    return: leave,
    [Symbol.asyncIterator]: () => values,
  }
  return { push, fail: close, end: () => close(null), values }
}
