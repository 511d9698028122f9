/** Reads a body; on one that exceeds the limit, closes the connection and returns null. */
export async function readBodyWithin(
  body: AsyncIterable<Uint8Array> | Response['body'],
  mostBytes: number,
): Promise<Buffer<ArrayBuffer> | null> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += part.length
    if (bytes > mostBytes) return null
    parts.push(part)
  }
  return Buffer.concat(parts)
}
