#!/usr/bin/env node
import { QUICK_START, runOnPinnedNode } from '../runOnPinnedNode.js'

runOnPinnedNode(new URL('main.ts', import.meta.url), QUICK_START)
