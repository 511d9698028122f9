/** Error codes of a service without the endpoint; `UNKNOWN` where the response has none. */
const NO_ENDPOINT_CODES = ['UNKNOWN', 'NOT_FOUND', 'METHOD_NOT_ALLOWED']

/** The message for a service without the endpoint, since the URL is another service's. Null for other errors. */
export function describeWrongBaseUrl(
  { status, code }: { status: number; code: string },
  { origin, pathname }: URL,
  service: string,
): string | null {
  if ((status !== 404 && status !== 405) || !NO_ENDPOINT_CODES.includes(code)) return null
  return `${origin} has no ${pathname}: check that baseUrl is the URL of ${service}`
}
