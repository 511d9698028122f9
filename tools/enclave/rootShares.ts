import { combine, split } from 'shamir-secret-sharing'
import { concat, keccak256 } from 'viem'
import { openKeyring } from '../../services/enclave/keys/keyring.ts'
import { type Roots, splitRoots } from '../../services/enclave/keys/rootFile.ts'
import { ToolError } from '../commandLine.ts'

/** `cairn-root:<check>:<needed>:<hex>`: the check identifies the roots and detects damage. */
const FORM = /^cairn-root:(0x[0-9a-f]{8}):([0-9]{1,3}):((?:[0-9a-f]{2})+)$/

/**
 * Splits all roots into Shamir shares: any `needed` of them restore the roots, fewer reveal nothing. The roots open what was
 * encrypted, but don't give the attestation key.
 *
 * @param count 2 to 255
 * @param needed 2 to `count`
 */
export async function shareRoots(roots: Roots, count: number, needed: number): Promise<string[]> {
  const isSound = Number.isInteger(count) && Number.isInteger(needed) && needed >= 2
  if (!isSound || count < needed || count > 255) {
    throw new ToolError('expected 2 to 255 shares, at least 2 of them needed')
  }
  const check = digestRoots(roots)
  const shares = await split(Uint8Array.from(Buffer.concat([...roots])), count, needed)
  return shares.map(
    (share) => `cairn-root:${check}:${needed}:${Buffer.from(share).toString('hex')}`,
  )
}

/**
 * Restores roots from their shares.
 *
 * @throws ToolError when the shares are too few, of different roots, or damaged
 */
export async function combineShares(texts: readonly string[]): Promise<Roots> {
  const shares = [...new Set(texts.map((text) => text.trim()).filter((text) => text !== ''))]
  const parts = shares.map((text) => FORM.exec(text))
  const [first] = parts
  if (!first || parts.some((part) => part === null)) {
    throw new ToolError('a line is not a share: expected cairn-root:<check>:<needed>:<hex>')
  }
  const [, check, needed = ''] = first
  if (parts.some((part) => part?.[1] !== check || part?.[2] !== needed)) {
    throw new ToolError('the shares belong to different roots or different sets')
  }
  if (shares.length < Number(needed)) {
    throw new ToolError(`${needed} shares are needed, but ${shares.length} were given`)
  }
  const roots = splitRoots(await combineBytes(parts.map((part) => part?.[3] ?? '')))
  if (roots === null || digestRoots(roots) !== check) {
    throw new ToolError('a share is damaged or belongs to another set: leave one out and try again')
  }
  return roots
}

async function combineBytes(shares: readonly string[]): Promise<Uint8Array> {
  try {
    return await combine(shares.map((hex) => Uint8Array.from(Buffer.from(hex, 'hex'))))
  } catch {
    return new Uint8Array()
  }
}

/** A digest of the roots' public keys, which reveals nothing else about the roots. */
function digestRoots(roots: Roots): string | null {
  try {
    return keccak256(concat([...openKeyring(roots).byId.keys()])).slice(0, 10)
  } catch {
    return null
  }
}
