import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { startPostgres } from '../../services/postgres/startPostgres.ts'

/**
 * Puts a cluster that has just been initialised into `dataDirectory`, by copying the one that the
 * first test file of this run made: a copy takes a tenth of what `initdb` takes. Does nothing
 * outside a run of the tests, where `startPostgres` initialises one itself.
 */
export async function copyCluster(dataDirectory: string): Promise<void> {
  const original = process.env.CAIRN_TEST_CLUSTER
  if (original === undefined) return
  if (!existsSync(original)) await makeCluster(original)
  // The files belong to PostgreSQL's user, and must go on doing so.
  const copied = spawnSync('cp', ['-a', original, dataDirectory], { encoding: 'utf8' })
  if (copied.status !== 0) throw new Error(`the cluster could not be copied: ${copied.stderr}`)
}

/** Made beside its place and moved there at once, since several test files may begin together. */
async function makeCluster(original: string): Promise<void> {
  const directory = mkdtempSync(join(dirname(original), 'making-'))
  chmodSync(directory, 0o755)
  const made = join(directory, 'data')
  const server = await startPostgres({ dataDirectory: made })
  await server.stop()
  try {
    renameSync(made, original)
  } catch (error) {
    if (!existsSync(original)) throw error
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
