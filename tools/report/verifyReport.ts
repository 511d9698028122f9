import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { recoverMessageAddress } from 'viem'
import { type Manifest, manifestSchema, sha256 } from './manifest.ts'
import { ReportError } from './reportError.ts'
import { messageFor, signatureSchema } from './signManifest.ts'

/** What a report's folder shows of itself, without any node. */
export type Verification = {
  manifest: Manifest
  /** Who signed the manifest; null without a signature. */
  signer: `0x${string}` | null
  /** What isn't as the manifest and its signature say; none when the report is whole. */
  problems: string[]
}

/**
 * Checks the files of a report against its manifest, and the manifest against its signature.
 *
 * @param expected who must have signed, in lower case; null for anybody or nobody
 * @throws ReportError when the folder has no readable manifest
 */
export async function verifyReport(
  directory: string,
  expected: `0x${string}` | null,
): Promise<Verification> {
  const text = await readFile(join(directory, 'manifest.json')).catch(() => null)
  if (text === null) throw new ReportError(`${directory} has no manifest.json`)
  const manifest = parse(text.toString('utf8'), manifestSchema, 'manifest.json')
  const problems = await checkFiles(directory, manifest)
  const signer = await checkSignature(directory, text, problems)
  if (expected !== null && signer?.toLowerCase() !== expected) {
    problems.push(signer === null ? 'it is not signed' : `it is signed by ${signer}`)
  }
  return { manifest, signer, problems }
}

async function checkFiles(directory: string, { files }: Manifest): Promise<string[]> {
  const problems: string[] = []
  for (const { name, sha256: expected } of files) {
    const content = await readFile(join(directory, name)).catch(() => null)
    if (content === null) problems.push(`${name} is missing`)
    else if (sha256(content) !== expected) problems.push(`${name} was changed`)
  }
  const known = new Set(['manifest.json', 'signature.json', ...files.map(({ name }) => name)])
  const others = (await readdir(directory)).filter((name) => !known.has(name))
  return [...problems, ...others.map((name) => `${name} is not the report's`)]
}

async function checkSignature(directory: string, manifest: Buffer, problems: string[]) {
  const text = await readFile(join(directory, 'signature.json'), 'utf8').catch(() => null)
  if (text === null) return null
  const { message, signer, signature } = parse(text, signatureSchema, 'signature.json')
  if (message !== messageFor(manifest)) {
    problems.push('signature.json is of another manifest')
    return null
  }
  const found = await recoverMessageAddress({
    message,
    signature: signature as `0x${string}`,
  }).catch(() => null)
  if (found?.toLowerCase() === signer.toLowerCase()) return found
  problems.push(`signature.json is not by ${signer}`)
  return null
}

function parse<Found>(
  text: string,
  schema: { safeParse(value: unknown): { success: true; data: Found } | { success: false } },
  name: string,
): Found {
  try {
    const parsed = schema.safeParse(JSON.parse(text))
    if (parsed.success) return parsed.data
  } catch {
    // Not JSON: said below.
  }
  throw new ReportError(`${name} can't be read: this version knows format cairn-report, version 1`)
}
