/**
 * Replaces modules that Ponder imports but doesn't need here (replacePonderModules.ts): Vite, which would run the project's
 * files, and the code that rewrites `ponder-env.d.ts` at each start, in a directory that may be read-only.
 */
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/** Vite's server, which would transform and watch files. */
export async function createServer(): Promise<object> {
  return { config: {}, pluginContainer: { buildStart: async () => {} }, close: async () => {} }
}

/** Runs the project's files with Node itself. */
export class ViteNodeRunner {
  async executeFile(file: string): Promise<object> {
    return inWrittenOrder(await import(pathToFileURL(file).href), readFileSync(file, 'utf8'))
  }

  executeId(id: string): Promise<object> {
    return import(id)
  }
}

/**
 * A module's exports in source order; Node sorts them by name. Ponder locks tables in this order. In any other, it
 * would deadlock with readers, which begin with the intents.
 */
function inWrittenOrder(exports: object, source: string): object {
  const position = (name: string) => source.search(new RegExp(`^export const ${name}\\b`, 'm'))
  const entries = Object.entries(exports)
  return Object.fromEntries(entries.toSorted(([a], [b]) => position(a) - position(b)))
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
