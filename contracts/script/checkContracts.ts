/**
 * `npm run test:contracts`: checks formatting, lints, then runs every contract test against the committed gas snapshot.
 * Stops at the first failure, with forge's exit code.
 *
 * `npm run test:contracts -- --update-gas` writes the snapshot instead of comparing with it.
 */
import { type ForgeResult, forge } from '../forge.ts'
import { testContracts } from './testContracts.ts'

const updateGas = process.argv.includes('--update-gas')
const checks: { name: string; run: () => Promise<ForgeResult> }[] = [
  { name: 'format', run: () => forge(['fmt', '--check', 'contracts'], { echo: true }) },
  {
    name: 'lint',
    run: () => forge(['lint', '--deny', 'warnings', 'contracts/src'], { echo: true }),
  },
  {
    name: 'tests and gas',
    run: () => testContracts('test', [`--gas-snapshot-check=${!updateGas}`]),
  },
]

for (const { name, run } of checks) {
  const started = performance.now()
  const { exitCode } = await run()
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  console.log(`contracts: ${name} ${exitCode === 0 ? 'ok' : 'FAILED'} (${seconds} s)`)
  if (exitCode !== 0) {
    process.exitCode = exitCode
    break
  }
}
