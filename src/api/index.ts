/** Ponder insists on this file. Cairn's API is a server of its own, under `api/`. */
import { Hono } from 'hono'

export default new Hono()
