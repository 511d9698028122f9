import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PREFIX = 'cairn-run-'
/** Runs whose end was a `kill -9` leave their directory; by this age it is nobody's any more. */
const OLD_MS = 3 * 3_600_000

/**
 * Gives a run of the tests one directory for everything that it writes outside the project, and
 * deletes it at the end, so that a run leaves nothing on the disk however its tests end.
 *
 * @throws at the end, naming them, when tests have left clusters of PostgreSQL in it
 */
export default function setup(): () => void {
  const outside = tmpdir()
  removeOld(outside)
  const directory = mkdtempSync(join(outside, PREFIX))
  // As root, PostgreSQL runs as somebody else, who must be able to pass through.
  chmodSync(directory, 0o755)
  const temporary = join(directory, 'tmp')
  mkdirSync(temporary, { mode: 0o755 })
  const before = { TMPDIR: process.env.TMPDIR, home: process.env.CAIRN_POSTGRES_HOME }
  process.env.CAIRN_TEST_CLUSTER = join(directory, 'cluster')
  process.env.CAIRN_TEST_CHAINS = join(directory, 'chains')
  process.env.TMPDIR = temporary
  process.env.CAIRN_POSTGRES_HOME = join(directory, 'postgres')
  return () => {
    const left = [...clustersIn(join(directory, 'postgres')), ...clustersIn(temporary)]
    rmSync(directory, { recursive: true, force: true })
    restore('TMPDIR', before.TMPDIR)
    restore('CAIRN_POSTGRES_HOME', before.home)
    restore('CAIRN_TEST_CLUSTER', undefined)
    restore('CAIRN_TEST_CHAINS', undefined)
    if (left.length > 0) {
      throw new Error(`tests left clusters of PostgreSQL behind: ${left.join(', ')}`)
    }
  }
}

function removeOld(outside: string): void {
  for (const name of readdirSync(outside)) {
    if (!name.startsWith(PREFIX)) continue
    const path = join(outside, name)
    const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs
    if (changed !== undefined && Date.now() - changed > OLD_MS) {
      rmSync(path, { recursive: true, force: true })
    }
  }
}

/** Directories with the files of a cluster in them, at most two levels down. */
function clustersIn(root: string, depth = 2): string[] {
  const entries = entriesOf(root)
  if (entries.some(({ name }) => name === 'PG_VERSION')) return [root]
  if (depth < 0) return []
  const directories = entries.filter((entry) => entry.isDirectory())
  return directories.flatMap(({ name }) => clustersIn(join(root, name), depth - 1))
}

function entriesOf(path: string) {
  try {
    return readdirSync(path, { withFileTypes: true })
  } catch {
    return []
  }
}

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name]
  else process.env[name] = value
}
