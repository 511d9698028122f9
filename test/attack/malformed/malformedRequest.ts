import { type Draw, pick } from './draw.ts'
import { malformedQuery } from './malformedQuery.ts'
import { anything, type KnownValues, spoil, TEXTS, value } from './spoil.ts'

/** A request that no honest client would send, or hardly. */
type MalformedRequest = {
  /** As `nameOf` gives it. */
  target: string
  /** Base URL. */
  server: string
  method: string
  path: string
  headers: Record<string, string>
  body: string | undefined
}

export type Target = {
  /** Base URL. */
  server: string
  method: string
  /** With its parameters in braces. */
  path: string
}

/** Good values to spoil. */
export type Known = KnownValues & {
  /** By path. */
  bodies: Record<string, object>
  /** Good headers, some of which open a door. */
  headers: Record<string, string>
}

/** What a target is called in a message. */
export function nameOf({ server, method, path }: Target): string {
  return `${method} ${server}${path}`
}

const HEADERS = [
  ...['x-solver-address', 'x-solver-signature', 'x-sender-signature', 'x-reader-address'],
  ...['x-reader-signature', 'x-timestamp', 'authorization', 'x-request-id', 'if-none-match'],
  ...['x-forwarded-for', 'accept', 'origin', 'x-auth-signature'],
]

const TYPES = ['application/json', 'application/json; charset=utf-16', 'text/plain', '']

/** A spoiled request for one of the targets. */
export function malformedRequest(
  draw: Draw,
  targets: readonly Target[],
  known: Known,
): MalformedRequest {
  const target = pick(draw, targets)
  const path = target.path.replaceAll(/\{\w+\}/g, () => encode(identifier(draw, known)))
  const isBodyless = target.method === 'GET' || target.method === 'HEAD'
  const headers: Record<string, string> = {}
  for (const name of HEADERS) {
    const kind = draw()
    const good = known.headers[name]
    if (good !== undefined && kind < 0.3) headers[name] = good
    else if (kind < 0.5) headers[name] = headerSafe(value(draw, known))
  }
  headers['x-forwarded-for'] ??= clientAddress(draw)
  if (!isBodyless) {
    headers['content-type'] = draw() < 0.9 ? 'application/json' : pick(draw, TYPES)
  }
  const body = isBodyless ? undefined : bodyFor(draw, target.path, known)
  const { server, method } = target
  const version = draw() < 0.1 ? '/v1' : ''
  const search = target.path === '/graphql' && isBodyless ? graphqlSearch : query
  return {
    ...{ target: nameOf(target), server, method, headers, body },
    path: `${version}${path}${search(draw, known)}`,
  }
}

/** A GraphQL request as GET sends it. */
function graphqlSearch(draw: Draw, known: Known): string {
  const { variables, ...asked } = malformedQuery(draw, known)
  const search = { ...asked, ...(variables && { variables: JSON.stringify(variables) }) }
  // Not by `String`, which what is spoiled may throw at: it may have a `toString` of its own.
  const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
  const pairs = Object.entries(search).map(
    ([name, value]) => `${encode(name)}=${encode(textOf(value) ?? '')}`,
  )
  return `?${pairs.join('&')}`
}

function bodyFor(draw: Draw, path: string, known: Known): string {
  const kind = draw()
  const isQuery = path === '/graphql'
  const good = isQuery
    ? malformedQuery(draw, known)
    : (known.bodies[path] ?? pick(draw, Object.values(known.bodies)))
  if (kind < 0.6) return JSON.stringify(isQuery ? good : spoil(draw, good, known))
  if (kind < 0.75) return JSON.stringify(anything(draw, known, 4))
  if (kind < 0.85) {
    const text = JSON.stringify(good)
    return text.slice(0, Math.floor(draw() * text.length))
  }
  if (kind < 0.9) return `${'['.repeat(2_000)}${']'.repeat(draw() < 0.5 ? 2_000 : 1_999)}`
  if (kind < 0.92) return JSON.stringify({ ...good, intentId: 'x'.repeat(70_000) })
  return pick(draw, TEXTS)
}

function identifier(draw: Draw, known: Known): string {
  return draw() < 0.5 ? pick(draw, known.intentIds) : value(draw, known)
}

const PARAMETERS = [
  ...['sourceChainId', 'limit', 'cursor', 'status', 'tokenA', 'origin', 'asOfBlock'],
  ...['recipientAddress', 'signature', 'walletChainId'],
]

function query(draw: Draw, known: Known): string {
  if (draw() < 0.6) return ''
  const name = draw() < 0.8 ? pick(draw, PARAMETERS) : value(draw, known)
  return `?${encode(name)}=${encode(value(draw, known))}`
}

function clientAddress(draw: Draw): string {
  const byte = () => Math.floor(draw() * 256)
  return `198.18.${byte()}.${byte()}`
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

/** What a header may hold by HTTP itself; the rest never leaves the client. */
function headerSafe(text: string): string {
  return text.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, 3_000)
}
