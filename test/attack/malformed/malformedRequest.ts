import type { SeededRandom } from '../../rig/seededRandom.ts'
import { corruptInput, drawJson, drawText, type KnownValues, TEXTS } from './corruptInput.ts'
import { drawMalformedGraphqlQuery } from './malformedGraphqlQuery.ts'

/** A request that hardly any honest client would send. */
type MalformedRequest = {
  /** As `describeTarget` gives it. */
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
  /** The path with its parameters in braces. */
  path: string
}

/** Valid values to start from. */
export type Known = KnownValues & {
  /** Request bodies by path. */
  bodies: Record<string, object>
  /** Valid headers, some of which authenticate. */
  headers: Record<string, string>
}

/** The target's name in messages. */
export function describeTarget({ server, method, path }: Target): string {
  return `${method} ${server}${path}`
}

const HEADERS = [
  ...['x-solver-address', 'x-solver-signature', 'x-sender-signature', 'x-reader-address'],
  ...['x-reader-signature', 'x-timestamp', 'authorization', 'x-request-id', 'if-none-match'],
  ...['x-forwarded-for', 'accept', 'origin', 'x-auth-signature'],
]

const TYPES = ['application/json', 'application/json; charset=utf-16', 'text/plain', '']

/** A spoiled request for one of the targets. */
export function drawMalformedRequest(
  random: SeededRandom,
  targets: readonly Target[],
  known: Known,
): MalformedRequest {
  const target = random.pick(targets)
  const path = target.path.replaceAll(/\{\w+\}/g, () => encode(drawIdentifier(random, known)))
  const isBodyless = target.method === 'GET' || target.method === 'HEAD'
  const headers: Record<string, string> = {}
  for (const name of HEADERS) {
    const kind = random.fraction()
    const good = known.headers[name]
    if (good !== undefined && kind < 0.3) headers[name] = good
    else if (kind < 0.5) headers[name] = keepHeaderCharacters(drawText(random, known))
  }
  headers['x-forwarded-for'] ??= drawClientAddress(random)
  if (!isBodyless) {
    headers['content-type'] = random.fraction() < 0.9 ? 'application/json' : random.pick(TYPES)
  }
  const body = isBodyless ? undefined : drawBody(random, target.path, known)
  const { server, method } = target
  const version = random.fraction() < 0.1 ? '/v1' : ''
  const search = target.path === '/graphql' && isBodyless ? drawGraphqlSearch : drawQueryString
  return {
    target: describeTarget(target),
    server,
    method,
    headers,
    body,
    path: `${version}${path}${search(random, known)}`,
  }
}

/** A GraphQL request as the query string of a GET. */
function drawGraphqlSearch(random: SeededRandom, known: Known): string {
  const { variables, ...asked } = drawMalformedGraphqlQuery(random, known)
  const search = { ...asked, ...(variables && { variables: JSON.stringify(variables) }) }
  // `String` would fail on a spoiled value with a `toString` field.
  const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
  const pairs = Object.entries(search).map(
    ([name, value]) => `${encode(name)}=${encode(textOf(value) ?? '')}`,
  )
  return `?${pairs.join('&')}`
}

function drawBody(random: SeededRandom, path: string, known: Known): string {
  const kind = random.fraction()
  const isQuery = path === '/graphql'
  const good = isQuery
    ? drawMalformedGraphqlQuery(random, known)
    : (known.bodies[path] ?? random.pick(Object.values(known.bodies)))
  if (kind < 0.6) return JSON.stringify(isQuery ? good : corruptInput(random, good, known))
  if (kind < 0.75) return JSON.stringify(drawJson(random, known, 4))
  if (kind < 0.85) {
    const text = JSON.stringify(good)
    return text.slice(0, Math.floor(random.fraction() * text.length))
  }
  if (kind < 0.9)
    return `${'['.repeat(2_000)}${']'.repeat(random.fraction() < 0.5 ? 2_000 : 1_999)}`
  if (kind < 0.92) return JSON.stringify({ ...good, intentId: 'x'.repeat(70_000) })
  return random.pick(TEXTS)
}

function drawIdentifier(random: SeededRandom, known: Known): string {
  return random.fraction() < 0.5 ? random.pick(known.intentIds) : drawText(random, known)
}

const PARAMETERS = [
  ...['sourceChainId', 'limit', 'cursor', 'status', 'tokenA', 'origin', 'asOfBlock'],
  ...['recipientAddress', 'signature', 'walletChainId'],
]

function drawQueryString(random: SeededRandom, known: Known): string {
  if (random.fraction() < 0.6) return ''
  const name = random.fraction() < 0.8 ? random.pick(PARAMETERS) : drawText(random, known)
  return `?${encode(name)}=${encode(drawText(random, known))}`
}

function drawClientAddress(random: SeededRandom): string {
  const byte = () => Math.floor(random.fraction() * 256)
  return `198.18.${byte()}.${byte()}`
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

/** The characters that HTTP allows in a header; a client can't send others. */
function keepHeaderCharacters(text: string): string {
  return text.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, 3_000)
}
