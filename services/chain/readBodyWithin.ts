/** Reads a body; on one that exceeds the limit, closes the connection and returns null. */
export async function readBodyWithin(
  { body }: Response,
  mostBytes: number,
): Promise<Buffer<ArrayBuffer> | null> {
  const reader = body?.getReader()
  const parts: Uint8Array[] = []
  let bytes = 0
  for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
    bytes += part.value.length
    if (bytes > mostBytes) {
      await reader?.cancel()
      return null
    }
    parts.push(part.value)
  }
  return Buffer.concat(parts)
}
