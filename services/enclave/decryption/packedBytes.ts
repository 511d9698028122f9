/** Concatenated byte strings, which are transferred to another thread together, without a copy. */
export type Packed = { bytes: Uint8Array<ArrayBuffer>; ends: Uint32Array }

export function packBytes(parts: readonly Uint8Array[]): Packed {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  const ends = new Uint32Array(parts.length)
  let end = 0
  for (const [at, part] of parts.entries()) {
    bytes.set(part, end)
    end += part.length
    ends[at] = end
  }
  return { bytes, ends }
}

/** The byte strings, as views. */
export function unpackBytes({ bytes, ends }: Packed): Uint8Array[] {
  return Array.from(ends, (end, at) => bytes.subarray(at === 0 ? 0 : ends[at - 1], end))
}
