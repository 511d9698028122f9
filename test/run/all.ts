/**
 * `npm test`: every check and every test. Lint, types, imports and the contracts' compiler run side by side,
 * one core each. Then all tests begin. Those of the whole system wait most of the time, for auctions that end by
 * the clock: what they do goes first, and the others take what they leave, the contracts' own last. Fails when
 * anything does.
 */
import { constants } from 'node:os'
import { type RunOptions, runScript } from './runScript.ts'

const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority
const began = performance.now()
const checks = await runAll({
  lint: {},
  typecheck: {},
  'check:imports': {},
  'contracts:build': {},
})
process.env.CAIRN_CONTRACTS_BUILT = '1'
const tests =
  checks &&
  (await runAll({
    'test:e2e': {},
    'test:ts': { isLive: true, niceness: PRIORITY_BELOW_NORMAL },
    'test:contracts': { niceness: PRIORITY_LOW },
  }))
console.log(`npm test: ${tests ? 'ok' : 'FAILED'} (${seconds()} s)`)
process.exitCode = tests ? 0 : 1

/** @returns whether all of them, side by side, succeeded */
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
