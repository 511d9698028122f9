import { z } from '@hono/zod-openapi'
import { pushEventSchema as sent } from '../../../sdk/events/pushEventSchema.ts'

const listOfTexts = { type: 'array', items: { type: 'string' } } as const

const { $schema: _, ...described } = z.toJSONSchema(sent, {
  // What is sent may get further fields.
  io: 'input',
  // The one schema that zod can't describe: the ids in `reverted`.
  unrepresentable: () => listOfTexts,
})

/** An event for the documentation: the schema by which the SDK accepts events. */
export const pushEventSchema = z.looseObject({}).openapi('PushEvent', {
  type: 'object',
  description: 'A change of an intent or a scheduled order.',
  ...(described as object),
})
