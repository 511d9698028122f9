import { type BoundedQueue, createBoundedQueue } from '../../http/limits/boundedQueue.ts'
import { SUBSCRIPTION_LIMITS } from '../limits/limits.ts'
import { slowConsumer } from './subscriptionErrors.ts'

export type Topic<Value> = {
  /** The values that match from now on, until the signal aborts. `onClose` is called once, however it ends. */
  subscribe(
    matches: (value: Value) => boolean,
    options: { signal?: AbortSignal | undefined; onClose: () => void },
  ): AsyncIterableIterator<Value>
  publish(value: Value): void
  hasSubscribers(): boolean
  failAll(error: () => Error): void
  endAll(): void
}

/** Each subscriber has its own queue, and so reads at its own pace. */
export function createTopic<Value>(): Topic<Value> {
  const subscribers = new Map<BoundedQueue<Value>, (value: Value) => boolean>()
  return {
    subscribe: (matches, { signal, onClose }) => {
      const queue = createBoundedQueue<Value>({
        capacity: SUBSCRIPTION_LIMITS.queue,
        overflow: slowConsumer,
        onClose: () => {
          subscribers.delete(queue)
          signal?.removeEventListener('abort', queue.end)
          onClose()
        },
      })
      subscribers.set(queue, matches)
      if (signal?.aborted) queue.end()
      else signal?.addEventListener('abort', queue.end)
      return queue.values
    },
    publish: (value) => {
      for (const [queue, matches] of [...subscribers]) if (matches(value)) queue.push(value)
    },
    hasSubscribers: () => subscribers.size > 0,
    failAll: (error) => {
      for (const queue of [...subscribers.keys()]) queue.fail(error())
    },
    endAll: () => {
      for (const queue of [...subscribers.keys()]) queue.end()
    },
  }
}
