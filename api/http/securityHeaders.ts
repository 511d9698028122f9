import type { MiddlewareHandler } from 'hono'
import type { ApiEnv } from './apiEnv.ts'

/** What an answer that isn't a page may load: nothing. */
export const NOTHING = "default-src 'none'; frame-ancestors 'none'"

/** Headers on every answer. Pages bring their own content security policy. */
export function securityHeaders(): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    await next()
    const { headers } = c.res
    headers.set('x-content-type-options', 'nosniff')
    headers.set('referrer-policy', 'no-referrer')
    headers.set('cross-origin-resource-policy', 'cross-origin')
    const isPage = headers.get('content-type')?.startsWith('text/html') ?? false
    if (!isPage) headers.set('content-security-policy', NOTHING)
  }
}
