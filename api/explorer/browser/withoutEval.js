// Must be imported first: zod compiles its schemas with `new Function`, which the pages' CSP forbids.
import { config } from 'zod/v4/core'

config({ jitless: true })
