import { readFileSync } from 'node:fs'
import { assembleStatements, type PonderStatements } from './ponderStatements.ts'

/** The only version of Ponder that the fold and the stand-ins were written for and tested with. */
export const supportedPonderVersion = '0.17.7'

/** The parts of Ponder that decide what its tables are and which blocks are final; used as they are. */
export type PonderInternals = PonderStatements & {
  finalityBlockCount(chainId: number): number
  /** Narrower ranges for a refused `eth_getLogs`, read from the many ways in which providers put it. */
  narrowerRanges(input: { params: readonly unknown[]; error: unknown }): {
    shouldRetry: boolean
    isSuggestedRange?: boolean
    ranges?: { fromBlock: string; toBlock: string }[]
  }
}

/** Ponder isn't the version that the fold knows: it must not touch its tables. */
export class UnknownPonderError extends Error {
  override readonly name = 'UnknownPonderError'
}

/**
 * Loads Ponder's own functions from its installed package.
 *
 * @param entry file URL of the module that `ponder` resolves to.
 * @throws UnknownPonderError when it is another version, or when a part isn't where it was.
 */
export async function loadPonderInternals(
  entry: string = import.meta.resolve('ponder'),
): Promise<PonderInternals> {
  const version = installedVersion(entry)
  if (version !== supportedPonderVersion) {
    throw new UnknownPonderError(
      `Ponder ${version} is installed; only the tables of ${supportedPonderVersion} are supported`,
    )
  }
  try {
    return await assemble(entry)
  } catch (cause) {
    throw new UnknownPonderError(`Ponder ${version} lacks a part that the fold needs`, {
      cause,
    })
  }
}

/** @param entry file URL of the module that `ponder` resolves to */
export function installedVersion(entry: string): string {
  // `ponder` resolves to dist/esm/index.js, three levels below the package's root.
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', entry), 'utf8'))
  return String(manifest.version)
}

async function assemble(entry: string): Promise<PonderInternals> {
  const part = (path: string) => import(new URL(path, entry).href)
  const [checkpoint, kit, databaseActions] = await Promise.all([
    part('utils/checkpoint.js'),
    part('drizzle/kit/index.js'),
    part('database/actions.js'),
  ])
  const [finality, ponderUtils] = await Promise.all([
    part('utils/finality.js'),
    import('@ponder/utils' as string),
  ])
  return {
    finalityBlockCount: (id) => finality.getFinalityBlockCount({ chain: { id } }),
    narrowerRanges: callable(ponderUtils.getLogsRetryHelper),
    ...assembleStatements({ checkpoint, kit, databaseActions }),
  }
}

function callable<T>(value: T): T {
  if (typeof value !== 'function') throw new TypeError('not a function')
  return value
}
