/**
 * `npm test`: every check and every test. Lint, types, imports and the contract build run in parallel, then the tests of
 * the programs' parts, then those of whole systems. What needs no clock runs beside these at the lowest priority: it uses
 * the time in which they wait for blocks and auctions. Fails if any of them fails.
 *
 * The contracts' tests are compiled from the start: the contract build alone leaves a core idle.
 */
import { type RunOptions, runScript } from './runScript.ts'

const began = performance.now()
// What doesn't compile fails `test:contracts`, which says why.
const testsCompiled = runScript('contracts:build:tests', { hasLowPriority: true })
const checks = await runAll({
  lint: {},
  typecheck: {},
  'check:imports': {},
  'contracts:build': {},
})
process.env.CAIRN_CONTRACTS_BUILT = '1'
const parts = checks && (await runAll({ 'test:parts': { isLive: true } }))
const systems =
  checks &&
  (await runAll({
    'test:e2e': { isLive: true },
    'test:contracts': { hasLowPriority: true, after: testsCompiled },
    'test:package': { hasLowPriority: true },
  }))
const tests = parts && systems
console.log(`npm test: ${tests ? 'ok' : 'FAILED'} (${seconds()} s)`)
process.exitCode = tests ? 0 : 1

/** @returns whether all of them succeeded */
async function runAll(scripts: Record<string, RunOptions>): Promise<boolean> {
  const codes = await Promise.all(
    Object.entries(scripts).map(([name, options]) => runScript(name, options)),
  )
  console.log(`${Object.keys(scripts).join(', ')}: ended after ${seconds()} s`)
  return codes.every((code) => code === 0)
}

function seconds(): string {
  return ((performance.now() - began) / 1_000).toFixed(0)
}
