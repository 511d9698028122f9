/**
 * `npm run test:contracts`: format, lint, then every contract test against the committed gas
 * snapshot. Stops at the first that fails; the exit code is forge's own.
 *
 * `npm run test:contracts -- --update-gas` writes the snapshot instead of comparing with it.
 */
import { forge } from '../forge.ts'

const updateGas = process.argv.includes('--update-gas')
const checks: { name: string; args: string[] }[] = [
  { name: 'format', args: ['fmt', '--check', 'contracts'] },
  { name: 'lint', args: ['lint', '--deny', 'warnings', 'contracts/src'] },
  { name: 'tests and gas', args: ['test', `--gas-snapshot-check=${!updateGas}`] },
]

for (const { name, args } of checks) {
  const started = performance.now()
  const { exitCode } = await forge(args, { echo: true })
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  console.log(`contracts: ${name} ${exitCode === 0 ? 'ok' : 'FAILED'} (${seconds} s)`)
  if (exitCode !== 0) {
    process.exitCode = exitCode
    break
  }
}
