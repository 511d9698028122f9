import { registerHooks } from 'node:module'

const SCHEMA = new URL('../../../ponder.schema.ts', import.meta.url).href
const PARTS = new URL('./ponderConfigExports.ts', import.meta.url).href

registerHooks({
  resolve(specifier, context, next) {
    const isOfSchema = specifier === 'ponder' && context.parentURL?.startsWith(SCHEMA)
    return next(isOfSchema ? PARTS : specifier, context)
  },
})

/** `ponder.schema.ts`, loaded without the rest of Ponder. */
export const schema: typeof import('../../../ponder.schema.ts') = await import(SCHEMA)
