/** Stands in for Ponder: leaves log lines unread and runs forever. */
import pino from 'pino'

const log = pino(pino.destination({ fd: 1, sync: false, minLength: 16_000 }))
log.info('nobody will read this')
process.send?.(process.pid)
setInterval(() => {}, 60_000)
