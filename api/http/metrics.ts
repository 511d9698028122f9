import type { MiddlewareHandler } from 'hono'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Answered } from './accessLog.ts'
import type { ApiEnv } from './apiEnv.ts'

/** One number that is looked up when Prometheus asks. */
export type Reading = {
  name: string
  help: string
  labels?: string[]
  read: () => Promise<Sample[]> | Sample[]
}
export type Sample = { labels?: Record<string, string>; value: number }

/** The app's own registry: two apps in one process don't share counts. */
export function createMetrics(): Registry {
  return new Registry()
}

/** Told of each request's answer. */
export type RequestMeter = (answered: Answered) => void

/** Counts requests and how long they took, by endpoint (not by path: ids would make endless series). */
export function createRequestMeter(registry: Registry): RequestMeter {
  const duration = new Histogram({
    name: 'cairn_http_request_duration_seconds',
    help: 'Time from the request to its answer, streams excepted.',
    labelNames: ['route', 'method', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [registry],
  })
  const failures = new Counter({
    name: 'cairn_http_failures_total',
    help: 'Answers of status 500 and above.',
    labelNames: ['route'] as const,
    registers: [registry],
  })
  return ({ route, method, status, milliseconds }) => {
    duration.observe({ route, method: methodLabel(method), status }, milliseconds / 1_000)
    if (status >= 500) failures.inc({ route })
  }
}

/** Counts what the app answers. */
export function measureRequests(meter: RequestMeter): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const begun = performance.now()
    await next()
    meter({
      requestId: c.get('requestId'),
      route: c.get('route') ?? 'unknown',
      method: c.req.method,
      status: c.res.status,
      milliseconds: performance.now() - begun,
      code: c.get('code'),
    })
  }
}

/** Registers gauges that are read on demand; one that can't be read is left out, the others stay. */
export function addReadings(registry: Registry, readings: Reading[]): void {
  for (const { name, help, labels = [], read } of readings) {
    new Gauge({
      name,
      help,
      labelNames: labels,
      registers: [registry],
      async collect() {
        this.reset()
        const samples = await Promise.resolve(read()).catch(() => [])
        for (const { labels: of = {}, value } of samples) this.set(of, value)
      },
    })
  }
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'OPTIONS'])

/** A client can invent methods; each would be a series of its own. */
function methodLabel(method: string): string {
  return METHODS.has(method) ? method : 'other'
}
