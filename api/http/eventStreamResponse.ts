/** Headers of server-sent events, which must not be cached or buffered. */
export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // nginx would buffer the events.
  'x-accel-buffering': 'no',
}

/**
 * A response of server-sent events. It waits for the first text, so that a failure before it becomes an error
 * response instead of an empty stream. Later texts are pulled as the client reads.
 *
 * @param open gets a signal that aborts when the client disconnects
 */
export async function createEventStreamResponse(
  open: (signal: AbortSignal) => AsyncGenerator<string>,
  left: AbortSignal,
): Promise<Response> {
  const closing = new AbortController()
  const texts = open(AbortSignal.any([closing.signal, left]))
  let text: IteratorResult<string> | null = await texts.next()
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const now = text ?? (await texts.next())
      text = null
      if (now.done) controller.close()
      else controller.enqueue(encoder.encode(now.value))
    },
    cancel: () => closing.abort(),
  })
  return new Response(body, { headers: EVENT_STREAM_HEADERS })
}
