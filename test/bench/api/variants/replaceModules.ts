/** Preloaded: replaces the modules that `REPLACED_MODULES` names by the end of their URL. */
import { existsSync } from 'node:fs'
import { createRequire, registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'

const replaced = Object.entries<string>(JSON.parse(process.env.REPLACED_MODULES ?? '{}'))
const here = new URL('.', import.meta.url).href

/** Where the modules are; a renamed one would silently disable the variant. */
const ROOTS = ['../../../../', '../../../../node_modules/'].map((path) => new URL(path, here))
for (const [module] of replaced) {
  if (!ROOTS.some((root) => existsSync(new URL(module, root)))) throw new Error(`no ${module}`)
}

/** The project's own graphql, since the peers bring another: two copies in a process don't share types. */
const GRAPHQL = /^graphql(\/|$)/
const require = createRequire(import.meta.url)

registerHooks({
  resolve(specifier, context, next) {
    if (context.parentURL?.includes('/peers/') && GRAPHQL.test(specifier)) {
      const url = pathToFileURL(require.resolve(specifier)).href
      return { url, format: 'commonjs', shortCircuit: true }
    }
    const resolved = next(specifier, context)
    const [module, url] = replaced.find(([end]) => resolved.url.endsWith(`/${end}`)) ?? []
    // The replacement may use the module it replaces.
    const isOurs = context.parentURL?.startsWith(here) ?? false
    if (module === undefined || url === undefined || isOurs) return resolved
    return { url, format: 'module-typescript', shortCircuit: true }
  },
})
