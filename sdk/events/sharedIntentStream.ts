import { followEvents } from './followEvents.ts'

/** One stream for all intents a client waits for: browsers limit connections to six. */
export type SharedIntentStream = {
  /** Whether the stream is open and includes this intent. */
  isLive(id: bigint): boolean
  /**
   * Calls `onChange` whenever the intent may have changed, also when the stream opens or breaks, until the returned
   * function is called.
   */
  watch(id: bigint, onChange: () => void): () => void
}

/** Intents per stream. Any others are polled. */
const MAX_INTENTS = 100
/** How long to wait before asking a relayer that refused a stream again. */
const RETRY_REFUSED_MS = 60_000

export function createSharedIntentStream(baseUrl: string): SharedIntentStream {
  const watched = new Map<bigint, Set<() => void>>()
  let current: { ids: readonly bigint[]; isOpen: boolean; stop: AbortController } | null = null
  let refusedUntil = 0
  let isScheduled = false

  const notify = (ids: Iterable<bigint>) => {
    for (const id of ids) for (const onChange of [...(watched.get(id) ?? [])]) onChange()
  }
  // Waits that begin in the same turn share one stream.
  const schedule = () => {
    if (isScheduled) return
    isScheduled = true
    queueMicrotask(() => {
      isScheduled = false
      restart()
    })
  }
  const restart = () => {
    const ids = [...watched.keys()].slice(0, MAX_INTENTS)
    if (current !== null && ids.length > 0 && ids.every((id) => current?.ids.includes(id))) return
    current?.stop.abort()
    current = null
    if (ids.length > 0 && Date.now() >= refusedUntil) void run(ids)
  }
  const run = async (ids: readonly bigint[]) => {
    const stop = new AbortController()
    const own = { ids, isOpen: false, stop }
    current = own
    const onOpen = () => {
      own.isOpen = true
      notify(ids)
    }
    try {
      const events = followEvents(
        baseUrl,
        { intents: ids },
        {
          signal: stop.signal,
          onOpen,
          onMissed: () => notify(ids),
          onBreak: () => {
            own.isOpen = false
            notify(ids)
          },
        },
      )
      for await (const { data } of events)
        notify(data.intentId === null ? [] : [BigInt(data.intentId)])
    } catch {
      if (stop.signal.aborted) return
      refusedUntil = Date.now() + RETRY_REFUSED_MS
      if (current === own) current = null
      notify(ids)
    }
  }
  return {
    isLive: (id) => current?.isOpen === true && current.ids.includes(id),
    watch: (id, onChange) => {
      const listeners = watched.get(id) ?? new Set()
      watched.set(id, listeners.add(onChange))
      schedule()
      return () => {
        listeners.delete(onChange)
        if (listeners.size > 0) return
        watched.delete(id)
        // The stream continues for the other intents, and ends with the last.
        if (watched.size === 0) schedule()
      }
    },
  }
}
