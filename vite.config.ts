/**
 * How Ponder's processes load the project's files: as Node loads them everywhere else, without their types.
 * Without this, each would make source maps, run a compiler beside itself, and watch every file under the
 * project's directory for changes, a devnet's database among them.
 */
import { stripTypeScriptTypes } from 'node:module'

export default {
  server: { watch: null },
  esbuild: false,
  plugins: [{ name: 'strip-types', enforce: 'pre', transform: withoutTypes }],
}

/** Types give way to blanks, so that every line and column stays where it is. */
function withoutTypes(code: string, file: string): { code: string; map: null } | null {
  return file.endsWith('.ts') ? { code: stripTypeScriptTypes(code), map: null } : null
}
