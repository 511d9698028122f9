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
  let text = open
  for (let index = 0; index < count; index++) {
    const piece = pieceAt(index)
    if (typeof piece !== 'string') return joinedLater(text, index, piece, count, pieceAt, close)
    text += index === 0 ? piece : `,${piece}`
  }
  return text + close
}

/** The same from the first promised piece on. */
function joinedLater(
  text: string,
  first: number,
  promised: Promise<string>,
  count: number,
  pieceAt: (index: number) => Piece,
  close: string,
): Promise<string> {
  const pieces: Piece[] = [promised]
  for (let index = first + 1; index < count; index++) {
    try {
      pieces.push(pieceAt(index))
    } catch (error) {
      pieces.push(Promise.reject(error))
    }
  }
  const start = first === 0 ? text : `${text},`
  return Promise.all(pieces).then((all) => start + all.join(',') + close)
}
