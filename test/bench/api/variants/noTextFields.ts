import type * as replaced from '../../../../api/graphql/queryPlan/intentJsonFieldWriter.ts'

/** Without a list of what is requested, a plan resolves lists as graphql-js does. */
export const nothingRequested: typeof replaced.nothingRequested = () => null as never

export const findIntentJsonFieldWriter: typeof replaced.findIntentJsonFieldWriter = () => null
