import type { Plugin } from 'graphql-yoga'

/**
 * Says why a media type is refused. Yoga would answer 406 and 415 with an empty body, and leave a subscription open whose
 * client accepts no stream.
 */
export function refuseMediaTypes(): Plugin {
  return {
    onRequestParse: ({ requestParser, endResponse }) => {
      if (requestParser) return
      const message = 'expected content-type: application/json'
      endResponse(refusal(415, 'UNSUPPORTED_MEDIA_TYPE', message))
    },
    onResultProcess: async ({ result, resultProcessor, setResultProcessor }) => {
      if (resultProcessor) return
      if (Symbol.asyncIterator in result) await result[Symbol.asyncIterator]().return?.()
      const message = 'expected accept: application/json or, for a subscription, text/event-stream'
      setResultProcessor(() => refusal(406, 'NOT_ACCEPTABLE', message), 'application/json')
    },
  }
}

function refusal(status: number, code: string, message: string): Response {
  return Response.json({ errors: [{ message, extensions: { code } }] }, { status })
}
