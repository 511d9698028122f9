#!/usr/bin/env node
// The launcher `npx cairn <role or tool>`, for Node 20 or later.
import { QUICK_START, runOnPinnedNode } from './runOnPinnedNode.js'

const FEWER_COLLECTIONS = '--max-semi-space-size=64'

/** Tools with their Node options. Every other name is a role of services/main.ts. */
const TOOLS = {
  recover: [...QUICK_START, FEWER_COLLECTIONS],
  replay: [...QUICK_START, FEWER_COLLECTIONS],
  report: [...QUICK_START, FEWER_COLLECTIONS],
  sweep: [],
  verify: QUICK_START,
}

const [name, ...args] = process.argv.slice(2)

if (Object.hasOwn(TOOLS, name ?? '')) {
  runOnPinnedNode(new URL(`${name}/main.ts`, import.meta.url), TOOLS[name], { args })
} else {
  runOnPinnedNode(new URL('../services/main.ts', import.meta.url), ['--no-warnings'], { isRole: true })
}
