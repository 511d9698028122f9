/** `npm run test:economics`. */
import { readOptions } from '../script/readOptions.ts'
import { adversaries } from './adversaries.ts'
import { findUnacceptedGain } from './findUnacceptedGain.ts'
import { listGridCells } from './listGridCells.ts'
import { replaySampledAuctions } from './replaySampledAuctions.ts'
import { formatResultsTable, linesOf } from './resultsTable.ts'
import { runGridCells } from './runGridCells.ts'

const USAGE = `npm run test:economics -- [options]

Plays profit-maximising adversaries against the auction, prints their gain over honest play, and fails if an adversary
gains more than accepted. Then replays a sample on the compiled contract: the model must agree to the unit.

  --auctions <n>  auctions per cell (default 10000)
  --replays <n>   auctions to replay (default 200)
  --seed <n>      seed of the sample (default 1)
  --cells         print every cell
  --only <words>  run the adversaries whose names contain these words
  --help          print this`

const values = readOptions({
  auctions: { type: 'string', default: '10000' },
  replays: { type: 'string', default: '200' },
  seed: { type: 'string', default: '1' },
  only: { type: 'string', default: '' },
  cells: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
})

if (values.help) {
  console.log(USAGE)
  process.exit()
}

const started = performance.now()
const chosen = listGridCells().filter(({ family }) =>
  adversaries[family]?.name.includes(values.only),
)
const cells = await runGridCells(chosen, Number(values.auctions), (_cell, done) => {
  if (done % 30 === 0) console.error(`${done}/${chosen.length} cells, ${seconds()} s`)
})
if (values.cells) console.log(`${linesOf(cells)}\n`)
console.log(formatResultsTable(cells))
const played = cells.length * Number(values.auctions)
console.log(`\n${played.toLocaleString('en')} auctions in ${cells.length} cells, ${seconds()} s`)

const report = await replaySampledAuctions(Number(values.replays), Number(values.seed))
console.log(
  `replayed on the compiled contract: ${report.auctions} auctions, ${report.transactions} transactions, ${report.differences.length} differences`,
)
const complaints = cells.map(findUnacceptedGain).filter((complaint) => complaint !== undefined)
for (const problem of [...report.differences, ...complaints]) console.log(`FAILED: ${problem}`)
process.exitCode = report.differences.length + complaints.length === 0 ? 0 : 1

function seconds(): string {
  return ((performance.now() - started) / 1_000).toFixed(0)
}
