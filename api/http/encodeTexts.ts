/**
 * Texts one after the other, as UTF-8. A large answer is sent several times as fast so than as one string,
 * which would be joined, made flat and encoded, each a copy.
 */
export function encodeTexts(texts: readonly string[]): Buffer<ArrayBuffer> {
  const bytes = Buffer.allocUnsafe(texts.reduce((size, text) => size + Buffer.byteLength(text), 0))
  texts.reduce((at, text) => at + bytes.write(text, at), 0)
  return bytes
}
