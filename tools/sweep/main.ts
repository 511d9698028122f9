import { runSweep } from './runSweep.ts'

process.exitCode = await runSweep(process.argv.slice(2), process.env, console)
