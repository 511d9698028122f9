/** Texts that a secret would show itself by. */
export type Forms = {
  /** Found whatever the letters' case. */
  anyCase: string[]
  exact: string[]
}

/**
 * A secret in hex, base64 (also in the middle of something longer), decimal and as a JSON array of its
 * bytes; and each of these in hex once more, as columns of bytes are printed. One that is a text also as
 * it stands.
 *
 * @param secret at least 16 bytes: less would be found by chance
 */
export function formsOf(secret: Uint8Array | string): Forms {
  const bytes = Buffer.from(secret as string)
  if (bytes.length < 16) throw new RangeError('too short to be told from chance')
  const hex = bytes.toString('hex')
  const texts = [
    ...(typeof secret === 'string' ? [secret] : []),
    ...base64Cores(bytes),
    BigInt(`0x${hex}`).toString(),
    ...[',', ', ', ',\n'].map((comma) => [...bytes].join(comma)),
  ]
  const again = [hex, ...texts].map((text) => Buffer.from(text).toString('hex'))
  return { anyCase: [hex, ...again], exact: texts }
}

/** Base64 groups three bytes: what it makes of the inner ones hangs on where the secret begins. */
function base64Cores(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes])
    const whole = Math.floor(padded.length / 3) * 4
    const core = padded.toString('base64').slice(offset === 0 ? 0 : 4, whole)
    return [...new Set([core, core.replaceAll('+', '-').replaceAll('/', '_')])]
  })
}

/** Which of these secrets a text holds, by their names. */
export function foundIn(text: string, secrets: ReadonlyMap<string, Forms>): string[] {
  const lower = text.toLowerCase()
  return [...secrets]
    .filter(
      ([, { anyCase, exact }]) =>
        anyCase.some((form) => lower.includes(form)) || exact.some((form) => text.includes(form)),
    )
    .map(([name]) => name)
}
