import { type Draw, pick } from './draw.ts'

/** Good values among the bad: what is known gets further into a handler than noise does. */
export type KnownValues = { intentIds: string[]; addresses: string[] }

/** What somebody has stumbled over before, somewhere. */
export const TEXTS = [
  ...['', ' ', '0', '-1', '1e999', 'NaN', 'null', 'undefined', '__proto__', 'constructor'],
  ...["' or 1=1 --", '{{7*7}}', '../../etc/passwd', '%00', '\u0000', '\ud800', '\u202e'],
  ...['0x', '0X0', `0x${'f'.repeat(64)}`, `0x${'f'.repeat(65)}`, '9'.repeat(78), '9'.repeat(5_000)],
  ...['base_sepolia', '84532', '2651420', 'toString', '🪨'.repeat(50), 'a'.repeat(3_000)],
  ...[`0x04${'00'.repeat(200)}`, `0x${'ab'.repeat(65)}`, `0x${'00'.repeat(20)}`, '1'],
]

/** The same object with up to two of its values replaced, left out or added. */
export function spoil(draw: Draw, good: object, known: KnownValues): object {
  const spoiled: Record<string, unknown> = structuredClone(good) as Record<string, unknown>
  const rounds = Math.floor(draw() * 3)
  for (let round = 0; round < rounds; round++) {
    const name = pick(draw, Object.keys(spoiled)) ?? 'a'
    const kind = draw()
    if (kind < 0.2) delete spoiled[name]
    else if (kind < 0.4) spoiled[value(draw, known)] = anything(draw, known, 2)
    else spoiled[name] = spoiledValue(draw, spoiled[name], known)
  }
  return spoiled
}

/** Another value, or what is inside it spoiled in its turn. */
function spoiledValue(draw: Draw, good: unknown, known: KnownValues): unknown {
  if (typeof good !== 'object' || good === null || draw() < 0.3) return anything(draw, known, 2)
  if (!Array.isArray(good)) return spoil(draw, good, known)
  const at = Math.floor(draw() * good.length)
  return good.map((one, place) => (place === at ? spoiledValue(draw, one, known) : one))
}

/** Any JSON. */
export function anything(draw: Draw, known: KnownValues, depth: number): unknown {
  const kind = draw()
  if (depth > 0 && kind < 0.2) {
    return Array.from({ length: Math.floor(draw() * 6) }, () => anything(draw, known, depth - 1))
  }
  if (depth > 0 && kind < 0.35) return { [value(draw, known)]: anything(draw, known, depth - 1) }
  if (kind < 0.75) return value(draw, known)
  return pick(draw, [null, true, false, 0, -1, 1.5, 1e308, 2 ** 53, 84_532])
}

/** Any text, known or bad. */
export function value(draw: Draw, known: KnownValues): string {
  const kind = draw()
  if (kind < 0.2) return pick(draw, known.intentIds)
  if (kind < 0.4) return pick(draw, known.addresses)
  return pick(draw, TEXTS)
}
