/**
 * `npm run check`: runs types, imports and contracts in parallel, since the last doesn't always keep both cores busy.
 * Prints each one's output when it ends. Fails if any of them fails.
 */
import { runScript } from './runScript.ts'

const scripts = ['typecheck', 'check:imports', 'test:contracts']
const codes = await Promise.all(scripts.map((name) => runScript(name)))
process.exitCode = codes.find((code) => code !== 0) ?? 0
