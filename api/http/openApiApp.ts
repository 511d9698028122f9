import type { App } from './addEndpoint.ts'
import { type BaseAppOptions, createBaseApp } from './baseApp.ts'
import type { Compressor } from './compression/createCompressor.ts'
import type { ExampleIntent } from './docs/completeOpenApi.ts'
import { serveOpenApi } from './docs/serveOpenApi.ts'

type AppOptions = Omit<BaseAppOptions, 'compressor' | 'isPublic'> & {
  compressor: Compressor
  /** An intent for the documentation's examples; null if there is none. */
  exampleIntent?: () => Promise<ExampleIntent | null>
}

/** The relayer's app without endpoints, but with `/openapi.json`. */
export function createOpenApiApp({ exampleIntent, ...options }: AppOptions): App {
  const app = createBaseApp({ ...options, isPublic: true })
  serveOpenApi(app, {
    title: 'Cairn',
    description:
      'State of confidential cross-chain intents. Amounts are decimal strings in token base units, ids are decimal strings, times are ISO 8601.',
    exampleIntent,
  })
  return app
}
