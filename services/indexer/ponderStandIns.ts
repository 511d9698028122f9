/**
 * Stands in for what Ponder imports and no Ponder of ours has a use for (ponderModules.ts): Vite, by which it
 * would run the project's files, lists of chains, the database that it would bring along, and what writes
 * `ponder-env.d.ts` anew at each start.
 */
import { pathToFileURL } from 'node:url'

/** Vite's server, which would transform files and watch them. */
export async function createServer(): Promise<object> {
  return { config: {}, pluginContainer: { buildStart: async () => {} }, close: async () => {} }
}

/** Runs the project's files: Node itself does, as everywhere else. */
export class ViteNodeRunner {
  executeFile(file: string): Promise<object> {
    return import(pathToFileURL(file).href)
  }

  executeId(id: string): Promise<object> {
    return import(id)
  }
}

export class ViteNodeServer {}
/** Ponder asks of a database whether it is one. */
export class PGlite {}

export {
  none as default,
  none as drizzle,
  none as installSourcemapsSupport,
  none as normalizeModuleId,
  none as runCodegen,
  none as toFilePath,
}

function none(): void {}
