#!/usr/bin/env node
import { runOnPinnedNode } from '../runOnPinnedNode.js'

runOnPinnedNode(new URL('main.ts', import.meta.url))
