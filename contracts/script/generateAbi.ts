/** `npm run generate:abi`: rewrites the committed TypeScript ABIs and artifacts from the contracts. */
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { commitArtifacts, compileArtifacts } from '../artifacts.ts'
import { committedAbis, generateAbiSource } from '../generateAbiSource.ts'

const projectRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const artifacts = await compileArtifacts()
for (const one of committedAbis) {
  const source = generateAbiSource(one, artifacts[one.contract])
  await writeFile(join(projectRoot, one.path), source)
  console.log(`${one.contract} → ${one.path}`)
}
await commitArtifacts(artifacts)
console.log('all → contracts/compiled.json')
