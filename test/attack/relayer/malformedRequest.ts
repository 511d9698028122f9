/** A request that no honest client would send, or hardly. */
export type MalformedRequest = {
  /** Method and path of the target, with its parameters in braces. */
  target: string
  method: string
  path: string
  headers: Record<string, string>
  body: string | undefined
}

export type Target = { method: string; path: string }

/** Good values to spoil: what is known gets further into a handler than noise does. */
export type Known = {
  intentIds: string[]
  addresses: string[]
  bodies: Record<string, object>
  /** Good headers, some of which open a door. */
  headers: Record<string, string>
}

type Draw = () => number

/** Numbers from 0 to 1 that only hang on the seed. */
export function drawing(seed: number): Draw {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const TEXTS = [
  ...['', ' ', '0', '-1', '1e999', 'NaN', 'null', 'undefined', '__proto__', 'constructor'],
  ...["' or 1=1 --", '{{7*7}}', '../../etc/passwd', '%00', '\u0000', '\ud800', '\u202e'],
  ...['0x', '0X0', `0x${'f'.repeat(64)}`, `0x${'f'.repeat(65)}`, '9'.repeat(78), '9'.repeat(5_000)],
  ...['base_sepolia', '84532', '2651420', 'toString', '🪨'.repeat(50), 'a'.repeat(3_000)],
  ...[`0x04${'00'.repeat(200)}`, `0x${'ab'.repeat(65)}`, `0x${'00'.repeat(20)}`, '1'],
]

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
  const { method } = target
  const name = `${method} ${target.path}`
  return { target: name, method, path: path + query(draw, known), headers, body }
}

function bodyFor(draw: Draw, path: string, known: Known): string {
  const kind = draw()
  const good = known.bodies[path] ?? pick(draw, Object.values(known.bodies))
  if (kind < 0.6) return JSON.stringify(spoil(draw, good, known))
  if (kind < 0.75) return JSON.stringify(anything(draw, known, 4))
  if (kind < 0.85) {
    const text = JSON.stringify(good)
    return text.slice(0, Math.floor(draw() * text.length))
  }
  if (kind < 0.9) return `${'['.repeat(2_000)}${']'.repeat(draw() < 0.5 ? 2_000 : 1_999)}`
  if (kind < 0.92) return JSON.stringify({ ...good, intentId: 'x'.repeat(70_000) })
  return pick(draw, TEXTS)
}

/** The same object with one or two of its values replaced, left out or added. */
function spoil(draw: Draw, good: object, known: Known): object {
  const spoiled: Record<string, unknown> = structuredClone(good) as Record<string, unknown>
  const rounds = Math.floor(draw() * 3)
  for (let round = 0; round < rounds; round++) {
    const name = pick(draw, Object.keys(spoiled)) ?? 'a'
    const kind = draw()
    if (kind < 0.2) delete spoiled[name]
    else if (kind < 0.4) spoiled[value(draw, known)] = anything(draw, known, 2)
    else spoiled[name] = anything(draw, known, 2)
  }
  return spoiled
}

function anything(draw: Draw, known: Known, depth: number): unknown {
  const kind = draw()
  if (depth > 0 && kind < 0.2) {
    return Array.from({ length: Math.floor(draw() * 6) }, () => anything(draw, known, depth - 1))
  }
  if (depth > 0 && kind < 0.35) return { [value(draw, known)]: anything(draw, known, depth - 1) }
  if (kind < 0.75) return value(draw, known)
  return pick(draw, [null, true, false, 0, -1, 1.5, 1e308, 2 ** 53, 84_532])
}

function identifier(draw: Draw, known: Known): string {
  return draw() < 0.5 ? pick(draw, known.intentIds) : value(draw, known)
}

function value(draw: Draw, known: Known): string {
  const kind = draw()
  if (kind < 0.2) return pick(draw, known.intentIds)
  if (kind < 0.4) return pick(draw, known.addresses)
  return pick(draw, TEXTS)
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

function pick<Value>(draw: Draw, values: readonly Value[]): Value {
  return values[Math.floor(draw() * values.length)] as Value
}
