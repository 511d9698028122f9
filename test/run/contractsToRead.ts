import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Artifacts, contractArtifacts, readArtifacts } from '../../contracts/artifacts.ts'

/**
 * The compiled contracts. The first test file of a run that asks has the compiler look whether anything
 * changed; the others read what came out.
 */
export async function compiledContracts(): Promise<Artifacts> {
  // `npm test` has just compiled them; beside its other tests the compiler would take minutes to see that.
  if (process.env.CAIRN_CONTRACTS_BUILT === '1') return readArtifacts()
  const cluster = process.env.CAIRN_TEST_CLUSTER
  if (cluster === undefined) return contractArtifacts()
  const kept = join(dirname(cluster), 'contracts.json')
  if (existsSync(kept)) return JSON.parse(readFileSync(kept, 'utf8'))
  const artifacts = await contractArtifacts()
  // Moved there at once, since several test files may begin together.
  writeFileSync(`${kept}.${process.pid}`, JSON.stringify(artifacts))
  renameSync(`${kept}.${process.pid}`, kept)
  return artifacts
}
