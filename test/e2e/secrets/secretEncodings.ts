/** Texts in which a secret would be recognisable. */
export type Encodings = {
  /** Matched case-insensitively. */
  anyCase: string[]
  exact: string[]
}

/**
 * A secret in hex, base64 (also inside a longer encoding), decimal and as a JSON array of its bytes, and the hex of each of
 * these, as byte columns are printed. A textual secret also verbatim.
 *
 * @param secret at least 16 bytes: fewer could match by chance
 */
export function listEncodings(secret: Uint8Array | string): Encodings {
  const bytes = Buffer.from(secret as string)
  if (bytes.length < 16) throw new RangeError('too short: it could match by chance')
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

/** Base64 groups three bytes, so the encoding of the inner ones depends on where the secret begins. */
function base64Cores(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes])
    const whole = Math.floor(padded.length / 3) * 4
    const core = padded.toString('base64').slice(offset === 0 ? 0 : 4, whole)
    return [...new Set([core, core.replaceAll('+', '-').replaceAll('/', '_')])]
  })
}

/** Finds the names of the secrets that a text contains. All forms are searched for in one pass: logs have many megabytes. */
export function createSecretSearch(
  secrets: ReadonlyMap<string, Encodings>,
): (text: string) => string[] {
  const all = [...secrets.values()]
  const anyCase = anyOf(all.flatMap((forms) => forms.anyCase))
  const exact = anyOf(all.flatMap((forms) => forms.exact))
  return (text) => {
    const lower = text.toLowerCase()
    if (!anyCase.test(lower) && !exact.test(text)) return []
    return [...secrets]
      .filter(
        ([, forms]) =>
          forms.anyCase.some((form) => lower.includes(form)) ||
          forms.exact.some((form) => text.includes(form)),
      )
      .map(([name]) => name)
  }
}

function anyOf(forms: string[]): RegExp {
  return new RegExp(forms.map((form) => form.replace(/[^\w, ]/g, '\\$&')).join('|'))
}
