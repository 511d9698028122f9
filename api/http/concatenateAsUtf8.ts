/**
 * Concatenates texts as UTF-8. For a large response this is several times as fast as sending one string,
 * which would be joined, flattened and encoded, with a copy each time.
 *
 * The bytes are outside Node's pool: a cached slice of it would keep all 64 kB in memory.
 */
export function concatenateAsUtf8(texts: readonly string[]): Buffer<ArrayBuffer> {
  const size = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  const bytes = Buffer.allocUnsafeSlow(size)
  texts.reduce((at, text) => at + bytes.write(text, at), 0)
  return bytes
}
