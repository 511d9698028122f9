/** Reactions whose enclave never answers once it is asked to sign an anchor. Arguments: database URL, chains. */

import { DEFAULT_SPONSOR_LIMITS } from '../../../services/config/sponsorLimits.ts'
import { createEnclave } from '../../../services/enclave/createEnclave.ts'
import { toEnclaveChains } from '../../../services/enclave/enclaveChain.ts'
import { startReactions } from '../../../services/relayer/reconciler/startReactions.ts'

const [databaseUrl = '', chainsText = '[]'] = process.argv.slice(2)
const chains = JSON.parse(chainsText)
const enclave = await createEnclave({
  roots: [new Uint8Array(32).fill(7)],
  chains: toEnclaveChains(chains),
})

await startReactions({
  databaseUrl,
  chains,
  enclave: {
    ...enclave,
    signAnchor: () => {
      process.send?.('begun')
      return new Promise(() => {})
    },
  },
  sweepMs: 200,
  safePrice: DEFAULT_SPONSOR_LIMITS,
})
