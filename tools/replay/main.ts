#!/usr/bin/env node
import { runReplay } from './runReplay.ts'

process.exitCode = await runReplay(process.argv.slice(2), process.env, process)
