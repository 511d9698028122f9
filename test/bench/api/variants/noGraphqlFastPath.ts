import type { FastPathEndpoint } from '../../../../api/http/fastPath.ts'

export function graphqlFastPath(): FastPathEndpoint {
  return { route: '/graphql', handlerFor: () => null }
}
