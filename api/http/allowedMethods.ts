import type { App } from './addEndpoint.ts'

/** Finds the methods that a path answers to; none for a path that isn't there. */
export function allowedMethods(app: App): (path: string) => string[] {
  let known: { method: string; pattern: RegExp }[] | null = null
  return (path) => {
    // Once all endpoints are there, which is before the first request. Middleware is for any method.
    known ??= app.routes
      .filter(({ method }) => method !== 'ALL')
      .map((route) => ({ method: route.method, pattern: patternOf(route.path) }))
    const methods = new Set(
      known.flatMap(({ method, pattern }) => (pattern.test(path) ? method : [])),
    )
    if (methods.size === 0) return []
    return [...methods, ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'].sort()
  }
}

/** `/intents/:id/events` as a pattern; our own paths contain no other special characters. */
function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`)
}
