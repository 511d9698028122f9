import type { App } from './addEndpoint.ts'
import { type BaseAppOptions, createBaseApp } from './baseApp.ts'
import type { Compressor } from './compression/createCompressor.ts'
import { completeOpenApi, type ExampleIntent, PLACEHOLDER_INTENT } from './docs/completeOpenApi.ts'

type AppOptions = Omit<BaseAppOptions, 'compressor' | 'isPublic'> & {
  compressor: Compressor
  /** An intent for the documentation's examples; null if there is none. */
  exampleIntent?: () => Promise<ExampleIntent | null>
}

/** The relayer's app without endpoints, but with `/openapi.json`. */
export function createOpenApiApp({ exampleIntent, ...options }: AppOptions): App {
  const app = createBaseApp({ ...options, isPublic: true })
  serveOpenApi(app, exampleIntent)
  return app
}

function serveOpenApi(app: App, example: AppOptions['exampleIntent']): void {
  let document: object | null = null
  app.get('/openapi.json', async (c) => {
    c.set('route', '/openapi.json')
    document ??= app.getOpenAPI31Document({
      openapi: '3.1.0',
      info: {
        title: 'Cairn',
        version: '1',
        description:
          'State of confidential cross-chain intents. Amounts are decimal strings in token base units, ids are decimal strings, times are ISO 8601. Every path also works under /v1.',
        license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
        contact: { name: 'The operator of this service' },
      },
      servers: [{ url: '.' }],
    })
    return c.json(
      completeOpenApi(document, (await example?.().catch(() => null)) ?? PLACEHOLDER_INTENT),
    )
  })
}
