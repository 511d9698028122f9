/** Loaded before a program: puts other modules in the place of those that `REPLACED_MODULES` names by the end of their URL. */
import { existsSync } from 'node:fs'
import { createRequire, registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'

const replaced = Object.entries<string>(JSON.parse(process.env.REPLACED_MODULES ?? '{}'))
const here = new URL('.', import.meta.url).href

/** Where the modules are; one that was renamed would make a variant that is none. */
const ROOTS = ['../../../../', '../../../../node_modules/'].map((path) => new URL(path, here))
for (const [module] of replaced) {
  if (!ROOTS.some((root) => existsSync(new URL(module, root)))) throw new Error(`no ${module}`)
}

/** The project's own, which the peers bring along too: of two in a process neither knows the other's types. */
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
    // What stands in for a module may use it.
    const isOurs = context.parentURL?.startsWith(here) ?? false
    if (module === undefined || url === undefined || isOurs) return resolved
    return { url, format: 'module-typescript', shortCircuit: true }
  },
})
