import { runEnclaveTool } from './runEnclaveTool.ts'

process.exitCode = await runEnclaveTool(process.argv.slice(2), process.env, console)
