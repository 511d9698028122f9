/** `npm run bundle:explorer`: rewrites the committed scripts that pages load on demand. */
import { writeFile } from 'node:fs/promises'
import { BUNDLED, bundleBrowserScript, bundlePath } from './bundleBrowserScript.ts'

for (const name of BUNDLED) {
  const code = await bundleBrowserScript(name)
  await writeFile(bundlePath(name), code)
  console.log(`${name}.js: ${code.length} bytes`)
}
