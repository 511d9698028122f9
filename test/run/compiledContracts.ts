import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Artifacts, compileArtifacts, readArtifacts } from '../../contracts/artifacts.ts'

/**
 * The compiled contracts. The first test file of a run to ask runs the compiler if anything changed; the others read its
 * output.
 */
export async function readCompiledContracts(): Promise<Artifacts> {
  // `npm test` has just compiled them; while its tests run, the compiler would need minutes to notice.
  if (process.env.CAIRN_CONTRACTS_BUILT === '1') return readArtifacts()
  const cluster = process.env.CAIRN_TEST_CLUSTER
  if (cluster === undefined) return compileArtifacts()
  const kept = join(dirname(cluster), 'contracts.json')
  if (existsSync(kept)) return JSON.parse(readFileSync(kept, 'utf8'))
  const artifacts = await compileArtifacts()
  // Renamed into place, since several test files may start at once.
  writeFileSync(`${kept}.${process.pid}`, JSON.stringify(artifacts))
  renameSync(`${kept}.${process.pid}`, kept)
  return artifacts
}
