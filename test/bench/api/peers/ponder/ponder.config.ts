// The least that Ponder needs to serve a schema: it asks no node for anything.
import { createConfig } from 'ponder'

export default createConfig({
  database: { kind: 'postgres', connectionString: process.env.DATABASE_URL as string },
  chains: { base_sepolia: { id: 84_532, rpc: 'http://127.0.0.1:9' } },
  contracts: {},
})
