import { RelayerError } from './relayerError.ts'

const REDIRECTS = [301, 302, 303, 307, 308]

/**
 * Refuses an answer that redirects: following it would take the request's signatures to another host. For requests with
 * `redirect: 'manual'`; browsers hide such an answer's status.
 *
 * @throws RelayerError
 */
export function refuseRedirect(response: Response, url: URL, service: string): void {
  const { status, type } = response
  if (type !== 'opaqueredirect' && !REDIRECTS.includes(status)) return
  response.body?.cancel().catch(() => {})
  const message = `${service} at ${url.origin} redirects ${url.pathname}: set baseUrl to that, if you trust it`
  throw new RelayerError({ code: 'ANSWER_INVALID', message, status: status || 302 })
}
