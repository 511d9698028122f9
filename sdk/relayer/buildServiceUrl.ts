import { invalidArgument } from '../errors/invalidArgument.ts'

export type Query = Record<string, string | number | bigint | boolean | undefined>

/**
 * A URL of a service. `baseUrl` may end in a slash; undefined parameters are left out.
 *
 * @throws CairnError `INVALID_REQUEST` when `baseUrl` isn't a URL
 */
export function buildServiceUrl(baseUrl: string, path: string, query: Query = {}): URL {
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw invalidArgument('baseUrl', 'a URL such as https://relayer.example')
  }
  const url = new URL(`${baseUrl.replace(/\/$/, '')}${path}`)
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, String(value))
  return url
}
