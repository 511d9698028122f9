/** Size limit of a frame's content in bytes: proofs of busy blocks are the largest. */
export const MAX_FRAME_BYTES = 16 * 1024 * 1024

const LENGTH_BYTES = 4

/** Encodes a message as a frame: its length in 4 bytes, big-endian, then JSON. Bigints become decimal text. */
export function encodeFrame(message: unknown): Buffer {
  const text = JSON.stringify(message, (_, value) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
  const body = Buffer.from(text)
  if (body.length > MAX_FRAME_BYTES) throw new RangeError('the message is too large for a frame')
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(body.length)
  return Buffer.concat([length, body])
}

/**
 * Splits a stream of bytes into frames. The returned function takes the next chunk and returns the messages that it
 * completes. It throws if a frame is too large or not JSON; the stream is then unusable. Buffers at most one frame and
 * one chunk.
 */
export function createFrameReader(): (piece: Buffer) => unknown[] {
  let pieces: Buffer[] = []
  let held = 0
  return (piece) => {
    pieces.push(piece)
    held += piece.length
    const messages: unknown[] = []
    for (;;) {
      const size = frameSize(pieces, held)
      if (size === null || held < size) return messages
      const bytes = Buffer.concat(pieces)
      messages.push(JSON.parse(bytes.toString('utf8', LENGTH_BYTES, size)))
      const rest = bytes.subarray(size)
      pieces = rest.length === 0 ? [] : [rest]
      held = rest.length
    }
  }
}

/** Size of the first frame in bytes, including its length field; null until the length is known. */
function frameSize(pieces: Buffer[], held: number): number | null {
  if (held < LENGTH_BYTES) return null
  const [first] = pieces
  const front = first !== undefined && first.length >= LENGTH_BYTES ? first : Buffer.concat(pieces)
  const length = front.readUInt32BE(0)
  if (length > MAX_FRAME_BYTES) throw new RangeError('a frame is too large')
  return LENGTH_BYTES + length
}
