export type Query = Record<string, string | number | undefined>

/** A URL of a service. `baseUrl` may end in a slash; undefined parameters are left out. */
export function buildServiceUrl(baseUrl: string, path: string, query: Query = {}): URL {
  const url = new URL(`${baseUrl.replace(/\/$/, '')}${path}`)
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, String(value))
  return url
}
