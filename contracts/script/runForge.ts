/** `node contracts/script/runForge.ts <profile> <forge arguments…>`: forge here, with its exit code. */
import { forge } from '../forge.ts'

const [profile, ...args] = process.argv.slice(2)
if (profile === undefined || args.length === 0) {
  throw new Error('expected a profile of foundry.toml and a forge command')
}
const { exitCode } = await forge(args, { echo: true, env: { FOUNDRY_PROFILE: profile } })
process.exitCode = exitCode
