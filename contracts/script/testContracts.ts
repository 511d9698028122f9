import { compileArtifacts } from '../artifacts.ts'
import { type ForgeResult, forge } from '../forge.ts'

/**
 * Runs the contracts' tests in a profile of foundry.toml, after compiling the contracts they deploy.
 *
 * @param args arguments for `forge test`
 * @throws with the compiler's output if the contracts don't compile
 */
export async function testContracts(
  profile: 'test' | 'quick' | 'deep',
  args: readonly string[],
): Promise<ForgeResult> {
  await compileArtifacts()
  return await forge(['test', ...args], { echo: true, env: { FOUNDRY_PROFILE: profile } })
}
