/** Stands where Ponder stands: has lines in its logger that nobody has read, and goes on for ever. */
import pino from 'pino'

const log = pino(pino.destination({ fd: 1, sync: false, minLength: 16_000 }))
log.info('nobody will read this')
process.send?.(process.pid)
setInterval(() => {}, 60_000)
