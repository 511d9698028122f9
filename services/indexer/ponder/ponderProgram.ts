/** The program of one chain's Ponder process (startPonder.ts). Its argument is the project's directory. */
import './endWithParent.ts'
import '../../process/modules/speedUpModuleLoading.ts'
import { readInstalledVersion } from './ponderInternals.ts'
import { PONDER } from './replacePonderModules.ts'

const [, , root] = process.argv
const version = readInstalledVersion(PONDER)
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
