/**
 * Concatenates texts as UTF-8. For a large response this is several times as fast as sending one string,
 * which would be joined, flattened and encoded, with a copy each time.
 */
export function concatenateAsUtf8(texts: readonly string[]): Buffer<ArrayBuffer> {
  const bytes = Buffer.allocUnsafe(texts.reduce((size, text) => size + Buffer.byteLength(text), 0))
  texts.reduce((at, text) => at + bytes.write(text, at), 0)
  return bytes
}
