import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'

/** What every request carries. Bindings are absent when a test calls the app without a socket. */
export type ApiEnv = {
  Bindings: Partial<HttpBindings>
  Variables: {
    /** Named in the answer's `X-Request-Id`, in errors and in the log. */
    requestId: string
    /** The endpoint that took the request, such as `/intent-details/{intentId}`, for metrics. */
    route: string | undefined
    /** Of the failure that is answered, if it is one. */
    code: string | undefined
  }
}

export type ApiContext = Context<ApiEnv>
