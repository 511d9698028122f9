/** One message of a stream of server-sent events. */
export type ServerSentEvent = { id: string | null; type: string; data: string }

/** What a header can carry: the id is sent back as `Last-Event-ID`. */
const AS_HEADER = /^[\x21-\x7e]{1,200}$/

/** Longer than any message the relayer sends. */
const MAX_CHARACTERS = 1_000_000

/** Two line ends. A CR at the end of the text ends its line, whether or not its LF follows in the next chunk. */
const BLANK_LINE = /(?:\r\n|\r(?!\n)|\n){2}/

/**
 * Parses a body of type `text/event-stream` as it arrives.
 *
 * @param onData called whenever anything arrives, including comments
 */
export async function* readServerSentEvents(
  body: ReadableStream<Uint8Array>,
  onData: () => void = () => {},
): AsyncGenerator<ServerSentEvent> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let [text, end] = ['', '']
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      onData()
      const more = decoder.decode(value, { stream: true })
      text += more
      if (text.length > MAX_CHARACTERS) throw new RangeError('the message is too long')
      // Looks only where a blank line may be new: in the whole text it would take ages if that comes in tiny pieces.
      const recent = end + more
      end = recent.slice(-3)
      if (!BLANK_LINE.test(recent)) continue
      const messages = text.split(BLANK_LINE)
      text = messages.pop() ?? ''
      for (const message of messages) {
        const event = parseMessage(message)
        if (event) yield event
      }
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}

function parseMessage(text: string): ServerSentEvent | null {
  let [id, type]: [string | null, string] = [null, 'message']
  const data: string[] = []
  for (const line of text.split(/\r\n?|\n/)) {
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'id' && AS_HEADER.test(value)) id = value
    if (field === 'event') type = value
    if (field === 'data') data.push(value)
  }
  return data.length === 0 ? null : { id, type, data: data.join('\n') }
}
