/** More than any answer of a relayer or of the order service has. */
const MOST_BYTES = 32 * 2 ** 20

/** The body's text. On one that is longer than any real answer, closes the connection and returns null. */
export async function readText(response: Response): Promise<string | null> {
  // React Native has no streams, and a replaced `fetch` may have another kind.
  const reader = response.body?.getReader?.()
  if (!reader) return response.text()
  const decoder = new TextDecoder()
  const parts: string[] = []
  let bytes = 0
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value.length
    if (bytes > MOST_BYTES) {
      reader.cancel().catch(() => {})
      return null
    }
    parts.push(decoder.decode(part.value, { stream: true }))
  }
  parts.push(decoder.decode())
  return parts.join('')
}
