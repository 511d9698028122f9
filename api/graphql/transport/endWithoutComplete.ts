/**
 * The same response. If it is an event stream, `stopping` ends it without GraphQL's `complete`, after which a client would
 * think that its subscription is over: without it, it subscribes again.
 */
export function endWithoutComplete(response: Response, stopping: AbortSignal): Response {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  if (!isStream || response.body === null) return response
  const { readable, writable } = new TransformStream()
  response.body
    .pipeTo(writable, { signal: stopping, preventAbort: true })
    // The client may have left.
    .catch(() => writable.close().catch(() => {}))
  return new Response(readable, response)
}
