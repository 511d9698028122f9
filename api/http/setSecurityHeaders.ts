import type { MiddlewareHandler } from 'hono'
import type { ApiEnv } from './honoEnvironment.ts'

/** Content security policy of responses that aren't pages: they may load nothing. */
export const DENY_ALL_POLICY = "default-src 'none'; frame-ancestors 'none'"

/** Sets the security headers of each response. Pages set their own content security policy. */
export function setSecurityHeaders(): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    await next()
    const { headers } = c.res
    headers.set('x-content-type-options', 'nosniff')
    headers.set('referrer-policy', 'no-referrer')
    headers.set('cross-origin-resource-policy', 'cross-origin')
    const isPage = headers.get('content-type')?.startsWith('text/html') ?? false
    if (!isPage) headers.set('content-security-policy', DENY_ALL_POLICY)
  }
}
