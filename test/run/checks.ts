/**
 * `npm run check`: types, imports and contracts side by side, since the last doesn't always keep both cores
 * busy. What each prints is printed whole when it has ended. Fails when one of them does.
 */
import { runScript } from './runScript.ts'

const scripts = ['typecheck', 'check:imports', 'test:contracts']
const codes = await Promise.all(scripts.map((name) => runScript(name)))
process.exitCode = codes.find((code) => code !== 0) ?? 0
