import { QUESTIONS, type Question, RECORDS } from './comparedServers.ts'
import type { Measured } from './measureLoad.ts'

/** A goal for requests per second: ours relative to the peer's. */
type Aim = { ours: string; peer: string; question: Question; factor: number }

const NO_MEMORY = 'Cairn REST, no memory'
const FRESH_LISTS = 'Cairn REST, lists never asked before'

const AIMS: readonly Aim[] = [
  ...[FRESH_LISTS, NO_MEMORY].flatMap((ours): Aim[] => [
    { ours, peer: 'bare Hono + pg', question: 'newest 50', factor: 0.7 },
    { ours, peer: 'bare Hono + pg', question: "a solver's 50", factor: 0.7 },
  ]),
  { ours: 'Cairn REST', peer: 'bare Hono + pg', question: 'by id', factor: 1 },
  { ours: 'Cairn REST', peer: 'Ponder GraphQL', question: 'by id', factor: 15 },
  ...RECORDS.flatMap((question): Aim[] => [
    { ours: 'Cairn GraphQL', peer: 'Ponder GraphQL', question, factor: 4 },
    { ours: 'Cairn GraphQL', peer: 'PostGraphile 5', question, factor: 1 },
  ]),
]

/** A server's printed name. */
const WIDTH = 50

/** Prints each server's best round, then the ratios with their goals. */
export function formatReport(all: readonly Measured[], connections: number, intents: number): void {
  const best = bestRounds(all)
  console.log(`\n${connections} connections, ids drawn evenly from ${intents}\n`)
  for (const question of QUESTIONS) {
    const rows = best.filter((one) => one.question === question)
    if (rows.length === 0) continue
    console.log(
      `${question.padEnd(WIDTH + 2)}${['requests/s', 'p50 ms', 'p99 ms', 'CPU µs', 'PostgreSQL µs'].map((name) => name.padStart(14)).join('')}`,
    )
    for (const row of rows) console.log(lineOf(row))
    console.log()
  }
  console.log('ratios of requests/s, and of CPU time a request with PostgreSQL’s')
  for (const aim of AIMS) printRatio(best, aim)
  if (best.some(({ contender }) => contender.variant !== undefined)) printWays(best)
}

/** Each variant's requests per second and CPU, relative to unmodified Cairn. */
function printWays(best: readonly Measured[]): void {
  console.log('\nof Cairn’s requests/s; CPU time a request with PostgreSQL’s over Cairn’s')
  for (const variant of best) {
    const { contender, question } = variant
    if (contender.variant === undefined) continue
    const whole = contender.name.replace(`, ${contender.variant}`, '')
    const cairn = best.find((one) => one.contender.name === whole && one.question === question)
    if (!cairn) continue
    const share = ((100 * variant.perSecond) / cairn.perSecond).toFixed(0)
    const cpu = (cpuOf(variant) / cpuOf(cairn)).toFixed(2)
    console.log(
      `  ${question.padEnd(14)} ${contender.name.padEnd(WIDTH)} ${share.padStart(4)} %   CPU ${cpu}`,
    )
  }
}

function cpuOf({ serverCpu, databaseCpu, requests }: Measured): number {
  return (serverCpu + databaseCpu) / requests
}

function bestRounds(all: readonly Measured[]): Measured[] {
  const best = new Map<string, Measured>()
  for (const one of all) {
    const key = `${one.question} ${one.contender.name}`
    const known = best.get(key)
    if (!known || one.perSecond > known.perSecond) best.set(key, one)
  }
  return [...best.values()]
}

function lineOf({ contender, perSecond, p50, p99, refused, ...used }: Measured): string {
  const micros = (seconds: number) => ((seconds / used.requests) * 1e6).toFixed(0)
  const figures = [
    perSecond.toFixed(0),
    p50.toFixed(2),
    p99.toFixed(2),
    micros(used.serverCpu),
    micros(used.databaseCpu),
  ]
  const notes = refused > 0 ? `  ${refused} not answered with 200` : ''
  return `  ${contender.name.padEnd(WIDTH)}${figures.map((text) => text.padStart(14)).join('')}${notes}`
}

function printRatio(best: readonly Measured[], { ours, peer, question, factor }: Aim): void {
  const find = (name: string) =>
    best.find((one) => one.contender.name === name && one.question === question)
  const [mine, theirs] = [find(ours), find(peer)]
  if (!mine || !theirs) return
  const ratio = mine.perSecond / theirs.perSecond
  const cpu = cpuOf(theirs) / cpuOf(mine)
  const verdict = ratio >= factor ? 'met' : 'missed'
  console.log(
    `  ${question.padEnd(14)} ${ours.padEnd(36)} / ${peer.padEnd(16)} ${ratio.toFixed(2).padStart(6)}   aim ${factor}: ${verdict}   CPU ${cpu.toFixed(2)}`,
  )
}
