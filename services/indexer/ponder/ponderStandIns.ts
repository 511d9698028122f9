/**
 * Stands in for modules that Ponder imports but doesn't need here (ponderModules.ts): Vite, which would run the
 * project's files, and the code that writes `ponder-env.d.ts` again at each start, into a directory that may not be
 * writable.
 */
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/** Vite's server, which would transform files and watch them. */
export async function createServer(): Promise<object> {
  return { config: {}, pluginContainer: { buildStart: async () => {} }, close: async () => {} }
}

/** Runs the project's files: Node itself does, as everywhere else. */
export class ViteNodeRunner {
  async executeFile(file: string): Promise<object> {
    return inWrittenOrder(await import(pathToFileURL(file).href), readFileSync(file, 'utf8'))
  }

  executeId(id: string): Promise<object> {
    return import(id)
  }
}

/**
 * A module's exports, in the order of its source: Node sorts them by name. In their order Ponder locks tables,
 * and readers, who begin with the intents, would wait for it while it waits for them.
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
