import { createHash } from 'node:crypto'
import { mkdir, open, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ToolError } from '../commandLine.ts'
import type { Report } from './buildAccountingReport.ts'
import { renderPage } from './htmlPage.ts'
import { formatIntentChangesCsv } from './intentChangesCsv.ts'
import { composeIntentLine, formatIntentsCsv } from './intentsCsv.ts'
import { composeManifest, type FileSum } from './manifest.ts'
import { signManifest } from './signManifest.ts'
import { composeStatementLines, formatStatementsCsv } from './statementsCsv.ts'

/** Characters to buffer before a write. */
const CHUNK = 1 << 16

/**
 * Writes a report's files, the manifest last: a folder without one isn't finished.
 *
 * @param key signs the manifest; null leaves it unsigned
 * @returns the address that signed, or null
 */
export async function writeReport(
  report: Report,
  directory: string,
  key: `0x${string}` | null,
): Promise<string | null> {
  await requireEmpty(directory)
  await mkdir(directory, { recursive: true })
  const { books, records, changes, names, faults, unchecked } = report
  const statements = books.flatMap((book) =>
    book.statements.map((statement) => composeStatementLines(book, statement, names)),
  )
  const intents = records.map((record) => composeIntentLine(record, names))
  const content = { books, statements, intents, changes, faults, unchecked }
  const files: FileSum[] = []
  for (const [name, parts] of [
    ['intents.csv', formatIntentsCsv(intents)],
    ['statements.csv', formatStatementsCsv(statements.flat())],
    ['changes.csv', formatIntentChangesCsv(changes)],
    ['report.html', renderPage(content)],
  ] as const)
    files.push(await writeParts(directory, name, parts))
  const manifest = composeManifest(books, names, { faults, unchecked }, files)
  const text = `${JSON.stringify(manifest, null, 2)}\n`
  const signature = key && (await signManifest(text, key))
  if (signature) {
    await writeFile(join(directory, 'signature.json'), `${JSON.stringify(signature, null, 2)}\n`)
  }
  await writeFile(join(directory, 'manifest.json'), text)
  return signature?.signer ?? null
}

/** Two reports in one folder could be mistaken for one. A folder that doesn't exist yet isn't created. */
export async function requireEmpty(directory: string): Promise<void> {
  if ((await listFolder(directory)).length === 0) return
  throw new ToolError(`${directory} isn't empty: choose another folder with --out`)
}

async function listFolder(directory: string): Promise<string[]> {
  try {
    return await readdir(directory)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return []
    throw new ToolError(`${directory} can't be used: ${message}`)
  }
}

async function writeParts(
  directory: string,
  name: string,
  parts: Iterable<string>,
): Promise<FileSum> {
  const sum = createHash('sha256')
  const file = await open(join(directory, name), 'wx')
  let bytes = 0
  const write = async (text: string) => {
    const chunk = Buffer.from(text)
    sum.update(chunk)
    bytes += chunk.length
    await file.writeFile(chunk)
  }
  try {
    let waiting = ''
    for (const part of parts) {
      waiting += part
      if (waiting.length < CHUNK) continue
      await write(waiting)
      waiting = ''
    }
    await write(waiting)
  } finally {
    await file.close()
  }
  return { name, bytes, sha256: sum.digest('hex') }
}
