import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { MiddlewareHandler } from 'hono'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Answered } from './accessLog.ts'
import type { ApiEnv } from './honoEnvironment.ts'

/** A metric that is read when Prometheus scrapes. */
export type Reading = {
  /** A counter's ends in `_total`: it only grows, except for restarts. Any other is a gauge. */
  name: string
  help: string
  labels?: string[]
  read: () => Promise<Sample[]> | Sample[]
}
type Sample = { labels?: Record<string, string>; value: number }

/**
 * A registry of the app's own, so that two apps in one process don't share counts, with the default metrics of
 * the process and the build's version.
 */
export function createMetrics(): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const name of MISNAMED) registry.removeSingleMetric(name)
  const build = readBuildInfo()
  new Gauge({
    name: 'cairn_build_info',
    help: 'The running version: always 1, see the labels.',
    labelNames: Object.keys(build),
    registers: [registry],
  }).set(build, 1)
  return registry
}

/** Gauges that prom-client misnames as totals. Each is also exported by kind, under a correct name. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
]

/** Counts GraphQL errors by code, since most of those responses have status 200. */
export function createGraphqlErrorMeter(registry: Registry): (code: string) => void {
  const errors = new Counter({
    name: 'cairn_graphql_errors_total',
    help: 'GraphQL errors, by extensions.code.',
    labelNames: ['code'] as const,
    registers: [registry],
  })
  return (code) => errors.inc({ code })
}

/** Called with each response. */
export type RequestMeter = (answered: Answered) => void

/**
 * Measures requests by endpoint. (By path, each id would make a series.)
 *
 * @param onAnswer called with each response too
 */
export function createRequestMeter(
  registry: Registry,
  onAnswer: RequestMeter = () => {},
): RequestMeter {
  const duration = new Histogram({
    name: 'cairn_http_request_duration_seconds',
    help: 'Time from the request to its answer, except for streams.',
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
  return (answered) => {
    const { route, method, status, milliseconds } = answered
    duration.observe({ route, method: methodLabel(method), status }, milliseconds / 1_000)
    // A series that began with its first failure would show no increase.
    failures.inc({ route }, status >= 500 ? 1 : 0)
    onAnswer(answered)
  }
}

/** `GET /metrics`, for Prometheus. */
export function serveMetrics(app: OpenAPIHono<ApiEnv>, registry: Registry): void {
  app.get('/metrics', async (c) => {
    c.set('route', '/metrics')
    // Private: a page in the browser of someone who can reach it mustn't read it.
    c.header('access-control-allow-origin', undefined)
    return c.body(await registry.metrics(), 200, { 'content-type': registry.contentType })
  })
}

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

/** The properties of a row that are values. */
type ValueKey<Row> = {
  [Key in keyof Row]: Row[Key] extends number | bigint | null | undefined ? Key : never
}[keyof Row]

/** Makes readings with one sample per row, with the row's labels. Rows without a value are left out. */
export function readingsPer<Row>(
  rows: () => Promise<readonly Row[]> | readonly Row[],
  labels: Record<string, (row: Row) => string>,
) {
  const labelsOf = (row: Row) =>
    Object.fromEntries(Object.entries(labels).map(([name, of]) => [name, of(row)]))
  return (
    name: string,
    help: string,
    of: ValueKey<Row> | ((row: Row) => number | bigint | null),
  ): Reading => ({
    name,
    help,
    labels: Object.keys(labels),
    read: async () =>
      (await rows()).flatMap((row) => {
        const value = typeof of === 'function' ? of(row) : row[of]
        return value == null ? [] : [{ labels: labelsOf(row), value: Number(value) }]
      }),
  })
}

/** Makes a reading of how many there are now. */
export function readingOf(name: string, help: string, size: () => number): Reading {
  return { name, help, read: () => [{ value: size() }] }
}

/**
 * Registers readings. One that fails is left out of the scrape, as is a value that its metric can't have; the others stay.
 */
export function addReadings(registry: Registry, readings: Reading[]): void {
  for (const { name, help, labels = [], read } of readings) {
    const isCounter = name.endsWith('_total')
    const isValue = ({ value }: Sample) => Number.isFinite(value) && (!isCounter || value >= 0)
    const samplesNow = () => Promise.resolve(read()).catch((): Sample[] => [])
    const Metric = isCounter ? Counter : Gauge
    new Metric({
      name,
      help,
      labelNames: labels,
      registers: [registry],
      async collect() {
        const samples = (await samplesNow()).filter(isValue)
        this.reset()
        for (const sample of samples) this.inc(sample.labels ?? {}, sample.value)
      },
    })
  }
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'OPTIONS'])

/** Clients can invent methods, and each would make a series. */
function methodLabel(method: string): string {
  return METHODS.has(method) ? method : 'other'
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** The project's version, the commit of its checkout (`unknown` without one), and Node's version. */
type BuildInfo = { version: string; revision: string; node: string }

function readBuildInfo(): BuildInfo {
  const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { version: string }
  return { version, revision: revision(), node: process.versions.node }
}

/** Reads git's files, since git may not be installed. */
function revision(): string {
  const head = read(`${ROOT}.git/HEAD`)
  const [, branch] = /^ref: (.+)$/.exec(head) ?? []
  if (branch === undefined) return head || 'unknown'
  const packed = read(`${ROOT}.git/packed-refs`)
    .split('\n')
    .find((line) => line.endsWith(` ${branch}`))
  return read(`${ROOT}.git/${branch}`) || packed?.split(' ')[0] || 'unknown'
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return ''
  }
}
