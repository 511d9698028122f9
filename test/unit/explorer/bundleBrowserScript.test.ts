import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  BUNDLED,
  bundleBrowserScript,
  bundlePath,
} from '../../../api/explorer/bundleBrowserScripts/bundleBrowserScript.ts'

test.each(BUNDLED)('the committed %s.js is made of these sources', async (name) => {
  const isFresh = readFileSync(bundlePath(name), 'utf8') === (await bundleBrowserScript(name))
  expect(isFresh, 'it isn’t: npm run bundle:explorer, and commit what it wrote').toBe(true)
})

test.each(
  BUNDLED,
)('%s.js makes no code or markup out of text, keeps nothing, and asks nobody else', (name) => {
  const code = readFileSync(bundlePath(name), 'utf8')
  const stores = /\b(?:local|session)Storage\b|\bindexedDB\b|document\.cookie/
  expect(code).not.toMatch(stores)
  expect(code).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write/)
  expect(code).not.toMatch(/\bimport\(/)
})
