import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { recoverMessageAddress } from 'viem'
import { ToolError } from '../commandLine.ts'
import { type Manifest, manifestSchema, sha256 } from './manifest.ts'
import { composeMessage, signatureSchema } from './signManifest.ts'

/** What a report's folder proves without a node. */
export type Verification = {
  manifest: Manifest
  /** Who signed the manifest; null without a signature. */
  signer: `0x${string}` | null
  /** How the files differ from the manifest and its signature; empty when the report is intact. */
  problems: string[]
}

/**
 * Checks the files of a report against its manifest, and the manifest against its signature.
 *
 * @param expected the required signer, in lower case; null accepts any, or none
 * @throws ToolError when the folder has no readable manifest
 */
export async function verifyReport(
  directory: string,
  expected: `0x${string}` | null,
): Promise<Verification> {
  const text = await readPlainFile(join(directory, 'manifest.json'))
  if (text === null) throw new ToolError(`${directory} has no manifest.json`)
  const manifest = parse(text.toString('utf8'), manifestSchema, 'manifest.json')
  const problems = await checkFiles(directory, manifest)
  const signer = await checkSignature(directory, text, problems)
  if (expected !== null && signer?.toLowerCase() !== expected) {
    problems.push(
      signer === null ? "the manifest isn't signed" : `the manifest is signed by ${signer}`,
    )
  }
  return { manifest, signer, problems }
}

async function checkFiles(directory: string, { files }: Manifest): Promise<string[]> {
  const problems: string[] = []
  for (const { name, sha256: expected } of files) {
    const content = await readPlainFile(join(directory, name))
    if (content === null) problems.push(`${name} is missing`)
    else if (sha256(content) !== expected) problems.push(`${name} doesn't match its checksum`)
  }
  const known = new Set(['manifest.json', 'signature.json', ...files.map(({ name }) => name)])
  const others = (await readdir(directory)).filter((name) => !known.has(name))
  return [...problems, ...others.map((name) => `${name} isn't part of the report`)]
}

async function checkSignature(directory: string, manifest: Buffer, problems: string[]) {
  const text = await readPlainFile(join(directory, 'signature.json'))
  if (text === null) return null
  const { message, signer, signature } = parse(
    text.toString('utf8'),
    signatureSchema,
    'signature.json',
  )
  if (message !== composeMessage(manifest)) {
    problems.push('signature.json is for another manifest')
    return null
  }
  const found = await recoverMessageAddress({
    message,
    signature: signature as `0x${string}`,
  }).catch(() => null)
  if (found?.toLowerCase() === signer.toLowerCase()) return found
  problems.push(`signature.json isn't signed by ${signer}`)
  return null
}

/** A file's bytes; null if there is none. The folder may be anyone's: a pipe or a device in it would be read without end. */
async function readPlainFile(path: string): Promise<Buffer | null> {
  const found = await stat(path).catch(() => null)
  return found?.isFile() ? readFile(path).catch(() => null) : null
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
    // Not JSON: reported below.
  }
  throw new ToolError(`${name} can't be read: this program supports format cairn-report, version 1`)
}
