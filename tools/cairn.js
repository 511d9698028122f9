#!/usr/bin/env node
// The launcher, `npx cairn <role>`: every program of the project by one name, from Node 20 on.
import { QUICKLY, runOnPinnedNode } from './runOnPinnedNode.js'

const ROOM_FOR_ROWS = '--max-semi-space-size=64'

/** Tools, with the options of Node that they run best with. Every other word is a role of services/main.ts. */
const TOOLS = {
  recover: [...QUICKLY, ROOM_FOR_ROWS],
  replay: [...QUICKLY, ROOM_FOR_ROWS],
  report: [...QUICKLY, ROOM_FOR_ROWS],
  sweep: [],
  verify: QUICKLY,
}

const [name, ...args] = process.argv.slice(2)

if (Object.hasOwn(TOOLS, name ?? '')) {
  runOnPinnedNode(new URL(`${name}/main.ts`, import.meta.url), TOOLS[name], { args })
} else {
  runOnPinnedNode(new URL('../services/main.ts', import.meta.url), ['--no-warnings'], { isRole: true })
}
