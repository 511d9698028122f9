/** `npm run build --workspace @cairn/sdk`: writes the package's modules and declarations to `sdk/dist`. */
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { bundleSdk } from './bundleSdk.ts'
import { writeDeclarations } from './writeDeclarations.ts'

const DIST = fileURLToPath(new URL('../dist/', import.meta.url))

await rm(DIST, { recursive: true, force: true })
const VERIFY = fileURLToPath(new URL('../verify/index.ts', import.meta.url))
await Promise.all([
  bundleSdk(`${DIST}index.js`),
  bundleSdk(`${DIST}verify.js`, { input: VERIFY, main: './index.js' }),
  writeDeclarations(`${DIST}types/`),
])
