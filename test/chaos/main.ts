import { readOptions } from '../bench/readOptions.ts'
import { LONG, playCampaign, SHORT } from './campaign.ts'
import { VICTIMS } from './killableProcesses.ts'
import { tabulateDowntime } from './tabulateDowntime.ts'

const USAGE = `Kills Cairn's processes with kill -9 at seeded moments, while intents of every outcome are under way.

  npm run test:chaos                           200 kills, half an hour
  npm run test:chaos -- --seed 7 --kills 50    that seed, 50 kills
  npm run test:chaos -- --short --kills 7      short auctions: what npm test plays
  npm run test:chaos -- --only indexer         that process alone: ${VICTIMS.join(', ')}

No intent may be lost, nothing may happen twice, and every balance must be exact. Prints the command
that repeats a failed seed, and keeps its logs. Ctrl-C stops the kills and judges the run so far.`

const values = readOptions(USAGE, {
  seed: { type: 'string' },
  kills: { type: 'string', default: '200' },
  only: { type: 'string' },
  short: { type: 'boolean', default: false },
})
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000))
const kills = Number(values.kills)
const only = VICTIMS.find((victim) => victim === values.only)
const isNobody = values.only !== undefined && only === undefined

if (isNobody || ![seed, kills].every(Number.isSafeInteger)) {
  console.error(USAGE)
  process.exit(2)
}
// Every owner in a campaign is new, which a day's gas budget for new owners would not cover.
process.env.ORDERS_UNPAID_GAS = '1000000000000'
const stopping = new AbortController()
process.once('SIGINT', () => stopping.abort())
const isSound = await play()
process.exit(isSound ? 0 : 1)

async function play(): Promise<boolean> {
  const began = Date.now()
  const pace = values.short ? SHORT : LONG
  const log = (line: string) => console.log(`seed ${seed}, ${line}`)
  try {
    const report = await playCampaign(
      { ...pace, seed, kills, ...(only && { only }), log, signal: stopping.signal },
      (logs) => console.log(`logs: ${logs}`),
    )
    for (const line of tabulateDowntime(report.kills)) console.log(line)
    console.log(`ends: ${JSON.stringify(report.ends)}`)
    for (const one of report.overtaken) console.log(`overtaken: ${one}`)
    for (const one of report.late) console.log(`too late: ${one}`)
    for (const problem of report.problems) console.log(`VIOLATION: ${problem}`)
    if (report.problems.length === 0) {
      log(
        `${report.kills.length} kills: nothing lost, nothing done twice, ${minutes(began)} minutes`,
      )
      return true
    }
  } catch (error) {
    console.log(error instanceof Error ? error.stack : error)
  }
  const pieces = ['npm run test:chaos --', `--seed ${seed} --kills ${kills}`]
  if (values.short) pieces.push('--short')
  if (only) pieces.push(`--only ${only}`)
  console.log(`seed ${seed} FAILED; reproduce with: ${pieces.join(' ')}`)
  return false
}

function minutes(since: number): string {
  return ((Date.now() - since) / 60_000).toFixed(1)
}
