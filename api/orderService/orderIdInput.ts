import { z } from '@hono/zod-openapi'

/** An order's id: the API's, or the vault's own. */
export const orderIdInput = z
  .string()
  .regex(
    /^(twap-[0-9a-fA-F]{32}|0x[0-9a-fA-F]{64})$/,
    'expected an order id: twap- and 32 hex digits',
  )
  .transform((text) => text.toLowerCase())
  .openapi({ type: 'string', example: 'twap-5f1e0c7a9b3d4e2f8a6b7c8d9e0f1a2b' })
