/**
 * Imported into every Ponder process before Ponder: replaces some of its modules. Node runs the project's files there
 * as it does everywhere else; Vite would take two seconds of processor time at each start.
 */
import { registerHooks } from 'node:module'
import { readInstalledVersion, supportedPonderVersion } from './ponderInternals.ts'

/** File URL of the folder of Ponder's own modules. */
export const PONDER = new URL('./', import.meta.resolve('ponder')).href

const PROJECT = ['../../../ponder.config.ts', '../../../ponder.schema.ts', '../../../src/'].map(
  urlOf,
)
const STAND_INS = urlOf('./replacements/viteStandIns.ts')

/** By the specifiers with which Ponder's modules import them. */
const FOR_PONDER = new Map(
  [
    'vite',
    'vite-node/client',
    'vite-node/server',
    'vite-node/source-map',
    'vite-node/utils',
    'vite-tsconfig-paths',
    '../utils/codegen.js',
  ].map((name) => [name, STAND_INS]),
)

/** These match the statements of one version. With any other, Ponder sends its own, one by one. */
if (readInstalledVersion(PONDER) === supportedPonderVersion) {
  FOR_PONDER.set('pg', urlOf('./replacements/pipeliningClient.ts'))
    .set('pg-copy-streams', urlOf('./replacements/copyStatement.ts'))
    .set('../database/actions.js', urlOf('./replacements/databaseActions.ts'))
    .set('../indexing-store/cache.js', urlOf('./replacements/indexingCache.ts'))
}

/** By the specifiers with which the project's files import them; the registry passes their functions to Ponder. */
const FOR_PROJECT = new Map([
  ['ponder', urlOf('./replacements/ponderWithoutIndexes.ts')],
  ['ponder:registry', urlOf('./replacements/handlerRegistry.ts')],
  ['ponder:schema', urlOf('../../../ponder.schema.ts')],
])

registerHooks({
  resolve(specifier, context, next) {
    return next(replacementOf(specifier, context.parentURL ?? '') ?? specifier, context)
  },
})

function replacementOf(specifier: string, importer: string): string | undefined {
  if (importer.startsWith(PONDER)) return FOR_PONDER.get(specifier)
  const isOfProject = importer === STAND_INS || PROJECT.some((url) => importer.startsWith(url))
  return isOfProject ? FOR_PROJECT.get(specifier) : undefined
}

function urlOf(path: string): string {
  return new URL(path, import.meta.url).href
}
