/** What a held Ponder does first, and nothing else; tells its parent how far it is. */
import { released } from '../../../../services/indexer/ponder/releasePonder.ts'

let isReleased = false
released().then((release) => {
  isReleased = true
  process.send?.(`released at ${release?.startBlock}`)
  process.disconnect()
})
// Not before everything that was due has been done.
setTimeout(() => !isReleased && process.send?.('held'), 50)
