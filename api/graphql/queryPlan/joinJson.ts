/** A part of the answer's JSON, or a promise of it. */
export type Piece = string | Promise<string>

/**
 * Joins pieces with commas, between brackets. Once a piece is a promise, a later piece that throws becomes a rejection,
 * so that no promise is left unhandled.
 */
export function joinJson(
  open: string,
  count: number,
  pieceAt: (index: number) => Piece,
  close: string,
): Piece {
  const pieces: Piece[] = []
  let isPromised = false
  for (let index = 0; index < count; index++) {
    const piece: Piece = isPromised ? attempted(pieceAt, index) : pieceAt(index)
    isPromised ||= typeof piece !== 'string'
    pieces.push(piece)
  }
  const whole = (texts: readonly string[]) => open + texts.join(',') + close
  return isPromised ? Promise.all(pieces).then(whole) : whole(pieces as string[])
}

function attempted(pieceAt: (index: number) => Piece, index: number): Piece {
  try {
    return pieceAt(index)
  } catch (error) {
    return Promise.reject(error)
  }
}
