import type { App } from '../addEndpoint.ts'
import { completeOpenApi, type ExampleIntent, PLACEHOLDER_INTENT } from './completeOpenApi.ts'

/** What an API says of itself. */
type ApiDescription = {
  title: string
  description: string
  /** An intent for the examples; null if there is none. */
  exampleIntent?: (() => Promise<ExampleIntent | null>) | undefined
  /** By method and path, those that differ from the relayer's. */
  operationIds?: Readonly<Record<string, string>>
}

/** Serves `/openapi.json`, made of the schemas that validate requests. */
export function serveOpenApi(
  app: App,
  { title, description, exampleIntent, operationIds }: ApiDescription,
): void {
  let document: object | null = null
  app.get('/openapi.json', async (c) => {
    c.set('route', '/openapi.json')
    document ??= app.getOpenAPI31Document({
      openapi: '3.1.0',
      info: {
        title,
        version: '1',
        description: `${description} Every path also works under /v1.`,
        license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
        contact: { name: 'The operator of this service' },
      },
      servers: [{ url: '.' }],
    })
    const example = await exampleIntent?.().catch(() => null)
    return c.json(completeOpenApi(document, example ?? PLACEHOLDER_INTENT, operationIds))
  })
}
