// Ponder doesn't start without an API file.
import { Hono } from 'hono'

export default new Hono()
