/** Bytes of one frame's content at most: proofs of busy blocks are the largest. */
export const MAX_FRAME_BYTES = 16 * 1024 * 1024

const LENGTH_BYTES = 4

/** A message as a frame: its length in 4 bytes, big-endian, then JSON. Bigints become decimal text. */
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
 * Takes a stream of bytes apart into frames. The function that it returns takes the next piece and
 * gives the messages that it completes; it throws when a frame is too large or not JSON, and the
 * stream can't be used any more. Never holds more than one frame and one piece.
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

/** Bytes of the frame at the front, its length included; null before its length is known. */
function frameSize(pieces: Buffer[], held: number): number | null {
  if (held < LENGTH_BYTES) return null
  const [first] = pieces
  const front = first !== undefined && first.length >= LENGTH_BYTES ? first : Buffer.concat(pieces)
  const length = front.readUInt32BE(0)
  if (length > MAX_FRAME_BYTES) throw new RangeError('a frame is too large')
  return LENGTH_BYTES + length
}
