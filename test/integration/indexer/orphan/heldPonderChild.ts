/** What a held Ponder does first, and nothing else; tells its parent how far it is. */
import { awaitPonderStartSignal } from '../../../../services/indexer/ponder/awaitPonderStartSignal.ts'

let isReleased = false
awaitPonderStartSignal().then((release) => {
  isReleased = true
  process.send?.(`released at ${release?.startBlock}`)
  process.disconnect()
})
// Not before everything that was due has been done.
setTimeout(() => !isReleased && process.send?.('held'), 50)
