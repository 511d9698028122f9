import type { SeededRandom } from '../../rig/seededRandom.ts'
/** Valid values to mix in: they get further into a handler than random ones. */
export type KnownValues = { intentIds: string[]; addresses: string[] }

/** Texts known to break programs. */
export const TEXTS = [
  ...['', ' ', '0', '-1', '1e999', 'NaN', 'null', 'undefined', '__proto__', 'constructor'],
  ...["' or 1=1 --", '{{7*7}}', '../../etc/passwd', '%00', '\u0000', '\ud800', '\u202e'],
  ...['0x', '0X0', `0x${'f'.repeat(64)}`, `0x${'f'.repeat(65)}`, '9'.repeat(78), '9'.repeat(5_000)],
  ...['base_sepolia', '84532', '2651420', 'toString', '🪨'.repeat(50), 'a'.repeat(3_000)],
  ...[`0x04${'00'.repeat(200)}`, `0x${'ab'.repeat(65)}`, `0x${'00'.repeat(20)}`, '1'],
]

/** Copies the object with up to two values replaced, removed or added. */
export function corruptInput(random: SeededRandom, good: object, known: KnownValues): object {
  const spoiled: Record<string, unknown> = structuredClone(good) as Record<string, unknown>
  const rounds = Math.floor(random.fraction() * 3)
  for (let round = 0; round < rounds; round++) {
    const name = random.pick(Object.keys(spoiled)) ?? 'a'
    const kind = random.fraction()
    if (kind < 0.2) delete spoiled[name]
    else if (kind < 0.4) spoiled[drawText(random, known)] = drawJson(random, known, 2)
    else spoiled[name] = spoilValue(random, spoiled[name], known)
  }
  return spoiled
}

/** Replaces the value, or spoils something inside it. */
function spoilValue(random: SeededRandom, good: unknown, known: KnownValues): unknown {
  if (typeof good !== 'object' || good === null || random.fraction() < 0.3)
    return drawJson(random, known, 2)
  if (!Array.isArray(good)) return corruptInput(random, good, known)
  const at = Math.floor(random.fraction() * good.length)
  return good.map((one, place) => (place === at ? spoilValue(random, one, known) : one))
}

/** Any JSON value. */
export function drawJson(random: SeededRandom, known: KnownValues, depth: number): unknown {
  const kind = random.fraction()
  if (depth > 0 && kind < 0.2) {
    return Array.from({ length: Math.floor(random.fraction() * 6) }, () =>
      drawJson(random, known, depth - 1),
    )
  }
  if (depth > 0 && kind < 0.35)
    return { [drawText(random, known)]: drawJson(random, known, depth - 1) }
  if (kind < 0.75) return drawText(random, known)
  return random.pick([null, true, false, 0, -1, 1.5, 1e308, 2 ** 53, 84_532])
}

/** Any text: a known value or a bad one. */
export function drawText(random: SeededRandom, known: KnownValues): string {
  const kind = random.fraction()
  if (kind < 0.2) return random.pick(known.intentIds)
  if (kind < 0.4) return random.pick(known.addresses)
  return random.pick(TEXTS)
}
