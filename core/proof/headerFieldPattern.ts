import type { HeaderFieldKind } from './headerFields.ts'

/**
 * The canonical text of a value of this kind: lower-case digits, integers without leading zeros. Each value has one
 * text, so that no digit of a proof can change unnoticed.
 */
export function getHeaderFieldPattern(kind: HeaderFieldKind): RegExp {
  const known = patterns.get(kind) ?? createPattern(kind)
  patterns.set(kind, known)
  return known
}

/** Compiled once, since all headers of a chain are hashed. */
const patterns = new Map<HeaderFieldKind, RegExp>()

function createPattern(kind: HeaderFieldKind): RegExp {
  if (kind.form === 'bytes') return new RegExp(`^0x[0-9a-f]{${kind.length * 2}}$`)
  if (kind.form === 'anyBytes') return /^0x(?:[0-9a-f]{2})*$/
  return new RegExp(`^0x(?:0|[1-9a-f][0-9a-f]{0,${kind.bits / 4 - 1}})$`)
}
