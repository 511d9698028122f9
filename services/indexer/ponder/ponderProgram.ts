/** The program of one chain's Ponder process (ponderChild.ts). Its argument is the project's directory. */
import './endWithParent.ts'
import '../../process/modules/quickModules.ts'
import { installedVersion } from './ponderInternals.ts'
import { PONDER } from './ponderModules.ts'

const [, , root] = process.argv
const version = installedVersion(PONDER)
const { start } = await import(new URL('bin/commands/start.js', PONDER).href)

await start({
  cliOptions: {
    command: 'start',
    version,
    root,
    config: 'ponder.config.ts',
    logFormat: 'json',
    logLevel: 'info',
    hostname: '127.0.0.1',
  },
})
