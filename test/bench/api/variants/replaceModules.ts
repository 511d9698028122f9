/** Loaded before a program: puts other modules in the place of those that `REPLACED_MODULES` names by the end of their URL. */
import { createRequire, registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'

const replaced = Object.entries<string>(JSON.parse(process.env.REPLACED_MODULES ?? '{}'))
const found = new Set<string>()
const here = new URL('.', import.meta.url).href

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
    found.add(module)
    return { url, format: 'module-typescript', shortCircuit: true }
  },
})

/** A module that was renamed would make a variant that is none. */
setTimeout(() => {
  const missing = replaced.filter(([module]) => !found.has(module)).map(([module]) => module)
  if (missing.length === 0) return
  console.error(`never loaded, so not replaced: ${missing.join(', ')}`)
  process.exit(1)
}, 10_000).unref()
