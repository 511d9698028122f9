import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'

/** Hono's environment of each request. Without a socket, as in tests, there are no bindings. */
export type ApiEnv = {
  Bindings: Partial<HttpBindings>
  Variables: {
    /** Returned as `X-Request-Id` and in errors; logged. */
    requestId: string
    /** The matched endpoint, such as `/intent-details/{intentId}`, for metrics. */
    route: string | undefined
    /** The error code, if the request failed. */
    code: string | undefined
  }
}

export type ApiContext = Context<ApiEnv>
