/** Server-sent events: neither stored nor gathered on their way. */
export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // nginx would gather the events before it passes them on.
  'x-accel-buffering': 'no',
}

/**
 * Server-sent events as an answer. The first text is waited for, so that what fails before it is an error and
 * no empty stream; each further one is asked for when there is room for it.
 *
 * @param open told of the reader's leaving by its signal
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
