/** Server-sent events: neither stored nor buffered on their way. */
export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // nginx would buffer the events.
  'x-accel-buffering': 'no',
}

/**
 * Server-sent events as an answer. It waits for the first text, so that a failure before it is an error and
 * not an empty stream; each further one is requested when there is room for it.
 *
 * @param open gets a signal that ends when the reader leaves
 */
export async function textStream(
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
