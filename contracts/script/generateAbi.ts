/** `npm run generate:abi`: rewrites the committed TypeScript ABIs from the contracts. */
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { contractArtifacts } from '../artifacts.ts'
import { abiSource, committedAbis } from '../generateAbiSource.ts'

const projectRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const artifacts = await contractArtifacts()
for (const { contract, constant, path } of committedAbis) {
  await writeFile(join(projectRoot, path), abiSource(constant, artifacts[contract]))
  console.log(`${contract} → ${path}`)
}
