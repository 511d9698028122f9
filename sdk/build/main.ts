/** `npm run build --workspace @cairn/sdk`: writes the package's modules and declarations to `sdk/dist`. */
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { bundle } from './bundle.ts'
import { writeDeclarations } from './writeDeclarations.ts'

const DIST = fileURLToPath(new URL('../dist/', import.meta.url))

await rm(DIST, { recursive: true, force: true })
const VERIFY = fileURLToPath(new URL('../verify/index.ts', import.meta.url))
await Promise.all([
  bundle(`${DIST}index.js`),
  bundle(`${DIST}verify.js`, { input: VERIFY, main: './index.js' }),
  writeDeclarations(`${DIST}types/`),
])
