import { VICTIMS } from './killableProcesses.ts'
import type { Kill } from './killProcess.ts'

/** Work must resume within this many milliseconds of a kill. */
const REQUESTED = 10_000

/** Tabulates how many seconds each kind of process was down. */
export function tabulateDowntime(kills: readonly Kill[]): string[] {
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
