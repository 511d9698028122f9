/**
 * Replaces modules that Ponder imports but doesn't need here (replacePonderModules.ts): Vite, which would run the project's
 * files, and the code that rewrites `ponder-env.d.ts` at each start, in a directory that may be read-only.
 */
import { pathToFileURL } from 'node:url'

/** Vite's server, which would transform and watch files. */
export async function createServer(): Promise<object> {
  return { config: {}, pluginContainer: { buildStart: async () => {} }, close: async () => {} }
}

/** Runs the project's files with Node itself. */
export class ViteNodeRunner {
  executeFile(file: string): Promise<object> {
    return import(pathToFileURL(file).href)
  }

  executeId(id: string): Promise<object> {
    return import(id)
  }
}

export class ViteNodeServer {}

export {
  none as default,
  none as installSourcemapsSupport,
  none as normalizeModuleId,
  none as runCodegen,
  none as toFilePath,
}

function none(): void {}
