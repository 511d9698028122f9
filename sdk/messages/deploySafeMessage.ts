/**
 * What the stealth key signs to have its Safe deployed.
 *
 * @param stealthAddress as sent, in the same letter case
 */
export function deploySafeMessage(stealthAddress: string, chainId: number): string {
  return `DEPLOY_SAFE:${stealthAddress}:${chainId}`
}
