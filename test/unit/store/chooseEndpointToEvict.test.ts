import { describe, expect, test } from 'vitest'
import { chooseEndpointToEvict } from '../../../services/store/webhooks/chooseEndpointToEvict.ts'

/** Webhooks from `<site>` for one that never accepted anything, `<site>!` for one that did; the oldest first. */
const held = (...sites: string[]) =>
  sites.map((site, at) => ({
    endpointId: `${at}`,
    url: `https://${site.replace('!', '')}/hook`,
    isProven: site.endsWith('!'),
  }))
const NEW = 'https://new.example/'

describe('which webhook has to leave', () => {
  test.each([
    ['the oldest that never accepted anything', held('a.x', 'b.x', 'c.y!'), NEW, '0'],
    ['nobody’s that has been receiving', held('a.x!', 'b.x', 'c.y', 'd.z'), NEW, '1'],
    [
      'the newest of the site with the most',
      held('a.x!', 'b.y.z!', 'y.z!', 'd.x!', 'e.y.z!', 'f.x'),
      NEW,
      '4',
    ],
    ['of two parts of a site, as of one', held('one.flood.x!', 'a.x!', 'two.flood.x!'), NEW, '2'],
    ['a bare address’s, whichever it is', held('1.2.3.4!', '[2001:db8::1]!', 'a.x!'), NEW, '1'],
    ['the oldest unproven, where sites have one each', held('a.x!', 'b.y', 'c.z!'), NEW, '1'],
    ['none, where all sites have one and accept', held('a.x!', 'b.y!', 'c.z!'), NEW, null],
    ['none for a site that has as many', held('a.x!', 'a.x!', 'c.z!'), 'https://www.a.x/', null],
  ])('%s', (_, endpoints, url, leaving) => {
    expect(chooseEndpointToEvict(endpoints, url)).toBe(leaving)
  })
})
