// Development only.

import { BASE, HORIZEN } from '../rest/seededApi.ts'
import { HOSTILE_TOKEN, startExplorerRig } from './explorerRig.ts'

const rig = await startExplorerRig(Number(process.argv[2] ?? 3000))
console.log(rig.url, rig.postgres.databaseUrl)
const c = await rig.postgres.connect()
await c.query(
  `update cairn_${HORIZEN}_seeded.intent set token_b='${HOSTILE_TOKEN}' where intent_id in (select intent_id from cairn_${HORIZEN}_seeded.intent order by created_at desc limit 2)`,
)
await c.query(`select pg_notify('cairn_projection', 'views')`)
process.on('SIGTERM', () => rig.stop().then(() => process.exit(0)))
