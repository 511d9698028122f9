#!/usr/bin/env node
import { QUICKLY, runOnPinnedNode } from '../runOnPinnedNode.js'

runOnPinnedNode(new URL('main.ts', import.meta.url), QUICKLY)
