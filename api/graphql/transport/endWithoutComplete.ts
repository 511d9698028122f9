/**
 * Returns the same response, but `stopping` ends an event stream without GraphQL's `complete`. A client that gets no
 * `complete` subscribes again; with it, the client would take its subscription for finished.
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
