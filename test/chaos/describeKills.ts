import type { Kill } from './kill.ts'
import { VICTIMS } from './victims.ts'

/** Milliseconds within which work is to go on after a kill. */
const REQUESTED = 10_000

/** A table: how long each kind of process was away, in seconds. */
export function describeKills(kills: readonly Kill[]): string[] {
  const rows = [...VICTIMS, 'all'].flatMap((victim) => {
    const some = kills.filter((kill) => victim === 'all' || kill.victim === victim)
    if (some.length === 0) return []
    const away = some.map(({ resumedMs }) => resumedMs).toSorted((a, b) => a - b)
    const orphans = Math.max(...some.map(({ orphansMs }) => orphansMs))
    const late = away.filter((ms) => ms > REQUESTED).length
    return [
      [
        victim.padEnd(10),
        String(some.length).padStart(5),
        ...[0.5, 0.95, 1].map((share) => seconds(away[Math.ceil(share * away.length) - 1] ?? 0)),
        String(late).padStart(8),
        seconds(orphans),
      ].join(' '),
    ]
  })
  return ['killed     times  median     p95     max  > 10 s  orphans end', ...rows]
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(2).padStart(7)
}
