/** A part of the answer's JSON, there or on its way. */
export type Piece = string | Promise<string>

/**
 * Joins pieces by commas between two brackets. Each piece is asked for in its turn; if one throws after
 * another was promised, that one's own failure is still taken care of.
 */
export function joined(
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
