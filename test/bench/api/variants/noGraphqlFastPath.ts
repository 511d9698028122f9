import type * as replaced from '../../../../api/graphql/graphqlFastPath.ts'

export const createGraphqlFastPath: typeof replaced.createGraphqlFastPath = () => ({
  route: '/graphql',
  handlerFor: () => null,
})
