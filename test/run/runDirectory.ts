import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PREFIX = 'cairn-run-'
/** A run ended by `kill -9` leaves its directory behind; after this long it is removed. */
const OLD_MS = 3 * 3_600_000
/** An in-memory file system on Linux. */
const IN_MEMORY = '/dev/shm'
/** Clusters take about 0.1 GB each and are soon deleted. */
const ROOM_FOR_CLUSTERS = 8 * 2 ** 30

/**
 * Creates one directory for everything a test run writes outside the project, and one in memory for PostgreSQL's files,
 * and deletes both at the end, however the tests end.
 *
 * @throws at the end, naming any PostgreSQL clusters that tests left in it
 */
export default function setup(): () => void {
  const outside = tmpdir()
  const directory = makeDirectory(outside)
  const clusters = makeDirectory(placeOfClusters(outside))
  const temporary = join(directory, 'tmp')
  const ofTests = join(clusters, 'tests')
  for (const each of [temporary, ofTests]) mkdirSync(each, { mode: 0o755 })
  const before = { TMPDIR: process.env.TMPDIR, home: process.env.CAIRN_POSTGRES_HOME }
  process.env.CAIRN_TEST_CLUSTER = join(clusters, 'cluster')
  process.env.CAIRN_TEST_CLUSTERS = ofTests
  process.env.CAIRN_TEST_CHAINS = join(directory, 'chains')
  process.env.TMPDIR = temporary
  process.env.CAIRN_POSTGRES_HOME = join(directory, 'postgres')
  return () => {
    const left = [join(directory, 'postgres'), temporary, ofTests].flatMap((each) =>
      clustersIn(each),
    )
    for (const each of [directory, clusters]) rmSync(each, { recursive: true, force: true })
    restore('TMPDIR', before.TMPDIR)
    restore('CAIRN_POSTGRES_HOME', before.home)
    for (const name of ['CLUSTER', 'CLUSTERS', 'CHAINS']) restore(`CAIRN_TEST_${name}`, undefined)
    if (left.length > 0) {
      throw new Error(`tests left clusters of PostgreSQL behind: ${left.join(', ')}`)
    }
  }
}

/** In memory where there is plenty: no test cluster has to last. A campaign's may be too large. */
function placeOfClusters(otherwise: string): string {
  if (process.env.CAIRN_TEST_ON_DISK === '1') return otherwise
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY)
    const room = Math.min(bavail * bsize, process.availableMemory())
    return room > ROOM_FOR_CLUSTERS ? IN_MEMORY : otherwise
  } catch {
    return otherwise
  }
}

function makeDirectory(outside: string): string {
  removeOld(outside)
  const directory = mkdtempSync(join(outside, PREFIX))
  // When run by root, PostgreSQL runs as another user, who must be able to enter.
  chmodSync(directory, 0o755)
  return directory
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

/** Directories that hold a cluster, at most two levels down. */
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
