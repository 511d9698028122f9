// Imported first: zod would compile its schemas by `new Function`, which the pages' policy forbids.
import { config } from 'zod/v4/core'

config({ jitless: true })
