import { privateKeyToAccount } from 'viem/accounts'
import { z } from 'zod'
import { readKeyFile } from '../../services/config/readKeyFile.ts'
import { ToolError } from '../commandLine.ts'
import { sha256 } from './manifest.ts'

/** `signature.json`: an EIP-191 signature over a text with the manifest's checksum, which any wallet can check. */
export const signatureSchema = z.strictObject({
  message: z.string().regex(/^CAIRN_REPORT:[0-9a-f]{64}$/),
  signer: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
  signature: z.string().regex(/^0x[0-9a-f]{130}$/),
})

export type ReportSignature = z.infer<typeof signatureSchema>

/** What is signed: `CAIRN_REPORT:` and the SHA-256 of the file `manifest.json`, in lower-case hex. */
export function composeMessage(manifest: string | Uint8Array): string {
  return `CAIRN_REPORT:${sha256(manifest)}`
}

/** The operator's key from `REPORT_KEY_FILE`; null if unset. Throws ToolError for a bad file. */
export function readReportKey(path: string | undefined): `0x${string}` | null {
  if (!path) return null
  const problems: string[] = []
  const key = readKeyFile('REPORT_KEY_FILE', path, problems)
  if (key === null) throw new ToolError(problems.join('\n'))
  return key
}

export async function signManifest(manifest: string, key: `0x${string}`): Promise<ReportSignature> {
  const account = accountOf(key)
  const message = composeMessage(manifest)
  const signature = await account.signMessage({ message })
  return { message, signer: account.address, signature }
}

/** The library's error for a bad key may quote the key. */
function accountOf(key: `0x${string}`) {
  try {
    return privateKeyToAccount(key)
  } catch {
    throw new ToolError('REPORT_KEY_FILE holds no valid secp256k1 private key')
  }
}
