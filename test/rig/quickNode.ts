import { fileURLToPath } from 'node:url'

const QUICK = new URL('../../services/process/modules/quickModules.ts', import.meta.url)

/** Options with which Node loads a program from what was compiled before, as it loads roles and tools. */
export const QUICK_NODE = ['--no-warnings', '--import', fileURLToPath(QUICK)]
