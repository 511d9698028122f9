import type { z } from 'zod'

/** zod's issues, one sentence each: `chains[0].bridge: expected an address …`. */
export function describeZodError(error: z.ZodError): string[] {
  return error.issues.map((issue) => {
    const place = issue.path.map(placeOf).join('').replace(/^\./, '')
    const message = issue.message.replace(/^Invalid input: /, '')
    return place === '' ? message : `${place}: ${message}`
  })
}

/** Rates are keyed by URL, of which only the host may be shown. */
function placeOf(step: PropertyKey): string {
  if (typeof step === 'number') return `[${step}]`
  const host = URL.parse(String(step))?.host
  return host ? `[${host}]` : `.${String(step)}`
}
