import type { Browser } from 'playwright-core'
import type { listExplorerPages } from './explorerPagePaths.ts'
import type { ExplorerRig } from './explorerRig.ts'

/** The explorer over a seeded index, a browser, and what its pages are about. */
export type ExplorerSession = { rig: ExplorerRig; browser: Browser } & Awaited<
  ReturnType<typeof listExplorerPages>
>

export const DESKTOP = { viewport: { width: 1280, height: 900 }, colorScheme: 'light' } as const
export const PHONE = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const
