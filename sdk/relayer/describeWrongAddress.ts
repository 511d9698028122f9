/** The codes of a refusal that isn't about what was asked for; `UNKNOWN` where the answer names none. */
const OF_NO_ENDPOINT = ['UNKNOWN', 'NOT_FOUND', 'METHOD_NOT_ALLOWED']

/**
 * What to say when a service refuses because it has no such endpoint: it is another one than was meant. Null for other
 * refusals.
 */
export function describeWrongAddress(
  { status, code }: { status: number; code: string },
  { origin, pathname }: URL,
  service: string,
): string | null {
  if ((status !== 404 && status !== 405) || !OF_NO_ENDPOINT.includes(code)) return null
  return `${origin} has no ${pathname}: check that baseUrl is the URL of ${service}, not of another service`
}
