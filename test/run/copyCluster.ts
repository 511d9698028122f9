import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { startPostgres } from '../../services/postgres/startPostgres.ts'

/**
 * Fills `dataDirectory` with a freshly initialised cluster by copying the one that the run's first test file made: a
 * tenth of the time of `initdb`. Does nothing outside a test run, where `startPostgres` initialises one itself.
 */
export async function copyCluster(dataDirectory: string): Promise<void> {
  const original = process.env.CAIRN_TEST_CLUSTER
  if (original === undefined) return
  if (!existsSync(original)) await makeCluster(original)
  // The files belong to PostgreSQL's user; preserve that.
  await promisify(execFile)('cp', ['-a', original, dataDirectory])
}

/** Written to a temporary path and renamed, since several test files may start at once. */
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
