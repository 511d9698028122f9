import type { MiddlewareHandler } from 'hono'
import { ApiError } from '../http/apiError.ts'

/**
 * Refuses requests to a loopback address under another host's name: a web page whose name was made to resolve to this
 * machine could read the answers in a browser that runs here.
 */
export function refuseForeignHosts(): MiddlewareHandler {
  return async (c, next) => {
    if (!isLoopback(hostnameOf(c.req.header('host') ?? ''))) {
      const words =
        'this solver answers only requests whose Host is localhost or a loopback address: have your proxy set that header, or start the solver with another SOLVER_HOST'
      throw new ApiError(words, { status: 403, code: 'FORBIDDEN' })
    }
    await next()
  }
}

/** Whether a host is this machine's loopback, as a URL names it. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host)
}

function hostnameOf(host: string): string {
  return URL.parse(`http://${host}`)?.hostname ?? ''
}
