/**
 * The baseline for REST: Hono on Node with one prepared statement per route, returning rows as the driver does. No
 * validation, limits, headers, status or timeline.
 */
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import pg from 'pg'
import { PEER_SCHEMA } from './createPeerTable.ts'

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 })
const table = `${PEER_SCHEMA}.intent`
const newest = 'order by created_at desc, intent_id desc limit 50'
const one = {
  name: 'one',
  text: `select * from ${table} where source_chain_id = $1 and intent_id = $2`,
}
const list = { name: 'list', text: `select * from ${table} ${newest}` }
const listOf = { name: 'listOf', text: `select * from ${table} where solver = $1 ${newest}` }

/** The 500 largest of the pair's intents completed in the last day. */
const quote = {
  name: 'quote',
  text: `select count(*) as intents, sum(winning_amount_b) as amount_b, sum(amount_a) as amount_a from (
    select winning_amount_b, amount_a from ${table}
    where source_chain_id = $1 and dest_chain_id = $2 and token_a = $3 and token_b = $4
      and settle_tx_hash is not null and created_at >= (select max(created_at) from ${table}) - 86400
    order by amount_a desc limit 500) as lately`,
}

const app = new Hono()
app.get('/intent/:id', async (c) => {
  const id = c.req.param('id')
  const { rows } = await pool.query({ ...one, values: [String(BigInt(id) >> 64n), id] })
  return rows[0] ? c.json({ success: true, intent: rows[0] }) : c.json({ success: false }, 404)
})
app.get('/intents', async (c) => {
  const solver = c.req.query('solver')
  const query = solver === undefined ? list : { ...listOf, values: [solver] }
  const { rows } = await pool.query(query)
  return c.json({ success: true, intents: rows })
})

app.get('/quote', async (c) => {
  const { sourceChain, destChain, tokenA, tokenB, amountA = '0' } = c.req.query()
  const { rows } = await pool.query({ ...quote, values: [sourceChain, destChain, tokenA, tokenB] })
  const { amount_a: given, amount_b: got } = rows[0]
  const amountB = given === null ? null : String((BigInt(amountA) * BigInt(got)) / BigInt(given))
  return c.json({ success: true, quote: { amountA, amountB } })
})

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(process.env.PORT) }, () => {
  console.log('listening')
})
