/** `node contracts/script/runTests.ts <quick|deep> <forge arguments…>`: forge test, with its exit code. */
import { testContracts } from './testContracts.ts'

const [profile, ...args] = process.argv.slice(2)
if (profile !== 'quick' && profile !== 'deep') {
  throw new Error('expected quick or deep, then arguments of forge test')
}
const { exitCode } = await testContracts(profile, args)
process.exitCode = exitCode
