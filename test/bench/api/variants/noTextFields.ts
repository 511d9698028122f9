import type * as replaced from '../../../../api/graphql/plan/intentFieldWriter.ts'

/** Without a list of what is requested, a plan resolves lists as graphql-js does. */
export const nothingRequested: typeof replaced.nothingRequested = () => null as never

export const findIntentFieldWriter: typeof replaced.findIntentFieldWriter = () => null
