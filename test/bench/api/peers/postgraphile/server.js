// PostGraphile 5 with its usual preset, over one schema; ends with its parent's signal.
import { createServer } from 'node:http'
import { grafserv } from 'grafserv/node'
import { postgraphile } from 'postgraphile'
import { makePgService } from 'postgraphile/adaptors/pg'
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'

const preset = {
  extends: [PostGraphileAmberPreset],
  pgServices: [
    makePgService({ connectionString: process.env.DATABASE_URL, schemas: [process.env.SCHEMA] }),
  ],
  grafserv: { graphiql: false, watch: false },
  grafast: { explain: false },
}
const server = createServer()
server.on('error', (error) => {
  console.error(error)
  process.exit(1)
})
await postgraphile(preset).createServ(grafserv).addTo(server)
server.listen(Number(process.env.PORT), '127.0.0.1', () => console.log('listening'))
