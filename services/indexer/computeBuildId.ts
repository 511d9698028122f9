import { createHash } from 'node:crypto'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ChainConfig } from '../config/chainConfig.ts'

/** How Ponder loads the project's files. */
const LOADING = [
  'replacePonderModules',
  'ponderConfigExports',
  'replacements/handlerRegistry',
  'replacements/viteStandIns',
  'replacements/ponderWithoutIndexes',
].map((part) => `services/indexer/ponder/${part}.ts`)

/**
 * Identifies the build that folds a chain: 8 hex digits over everything that decides its rows, which are the reducer's
 * source (src/), the fold, the tables, Ponder's configuration, loader and version, and the contracts with their start
 * blocks. Each build has its own database schema.
 *
 * @param root the project's directory
 */
export async function computeBuildId(chain: ChainConfig, root: string): Promise<string> {
  const hash = createHash('sha256')
  const { name, chainId, bridge, vault = null, startBlock } = chain
  const contracts = [name, chainId, bridge.toLowerCase(), vault?.toLowerCase() ?? null, startBlock]
  hash.update(JSON.stringify(contracts))
  const ponder = JSON.parse(await readFile(join(root, 'node_modules/ponder/package.json'), 'utf8'))
  hash.update(ponder.version)
  for (const path of await sources(root)) {
    hash.update(`\n${path}\n`)
    hash.update(await readFile(join(root, path)))
  }
  return hash.digest('hex').slice(0, 8)
}

async function sources(root: string): Promise<string[]> {
  const reducer: string[] = []
  const patterns = ['src/**/*.ts', 'services/indexer/fold/*.ts']
  for await (const path of glob(patterns, { cwd: root })) reducer.push(path)
  return [...reducer.sort(), 'ponder.config.ts', 'ponder.schema.ts', ...LOADING]
}

/** The database schema of a chain under a build. */
export function schemaOf(chain: ChainConfig, build: string): string {
  return `cairn_${chain.chainId}_${build}`
}
