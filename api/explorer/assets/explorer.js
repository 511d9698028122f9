// Pages work without this. It adds live regions, copy buttons, relative times, the theme switch, and loading
// scripts on demand.

const page = document.body
const regions = () => document.querySelectorAll('[data-region]')

// ── Times: the exact one stays in the title ──────────────────────────────────────────────────────

const UNITS = [
  [60, 1, 's'],
  [3_600, 60, 'min'],
  [86_400, 3_600, 'h'],
  [Infinity, 86_400, 'd'],
]

function ago(iso) {
  const seconds = Math.round((Date.now() - Date.parse(iso)) / 1_000)
  const [, size, unit] = UNITS.find(([limit]) => Math.abs(seconds) < limit)
  const count = Math.floor(Math.abs(seconds) / size)
  return seconds < 0 ? `in ${count} ${unit}` : `${count} ${unit} ago`
}

function showTimes(within = document) {
  for (const time of within.querySelectorAll('time')) time.textContent = ago(time.dateTime)
}

// ── Copying ──────────────────────────────────────────────────────────────────────────────────────

function showButtons(within = document) {
  if (!navigator.clipboard) return
  for (const button of within.querySelectorAll('[data-copy]')) button.hidden = false
}

document.addEventListener('click', async (event) => {
  const button = event.target.closest('[data-copy]')
  if (!button) return
  await navigator.clipboard.writeText(button.dataset.copy).catch(() => {})
  button.classList.add('done')
  setTimeout(() => button.classList.remove('done'), 1_200)
})

// ── Dark and light ───────────────────────────────────────────────────────────────────────────────

const theme = document.getElementById('theme')
theme.hidden = false
theme.addEventListener('click', () => {
  const root = document.documentElement
  const isDark = root.dataset.theme
    ? root.dataset.theme === 'dark'
    : matchMedia('(prefers-color-scheme: dark)').matches
  root.dataset.theme = isDark ? 'light' : 'dark'
  localStorage.setItem('cairn-theme', root.dataset.theme)
})

// ── What a page's button loads ───────────────────────────────────────────────────────────────────

for (const button of document.querySelectorAll('[data-run]')) {
  button.hidden = false
  button.addEventListener('click', async () => {
    button.disabled = true
    const { run } = await import(page.dataset.script)
    await run(button.closest('section'))
  })
}

// ── On a phone, where the menu is wider than the screen: the page's own entry ────────────────────

const entry = document.querySelector('nav [aria-current]')
entry?.closest('nav').scrollTo({ left: entry.offsetLeft - 24 })

// ── Search by keyboard ───────────────────────────────────────────────────────────────────────────

document.addEventListener('keydown', (event) => {
  const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName ?? '')
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  document.getElementById('top-search').focus()
})

// ── Live regions: the page is loaded again, and what differs takes its place ───────────────────

/** A document that was parsed by the browser's loader: its scripts don't run, and no text becomes markup here. */
function load() {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('GET', location.href)
    request.responseType = 'document'
    request.setRequestHeader('accept', 'text/html')
    request.onload = () => (request.status === 200 ? resolve(request.responseXML) : reject())
    request.onerror = reject
    request.send()
  })
}

function keysIn(region) {
  return new Set([...region.querySelectorAll('[data-key]')].map((row) => row.dataset.key))
}

/** A region in which the reader types or selects isn't disturbed: it updates the next time. */
function isInUse(region) {
  const selection = getSelection()
  const isSelecting = selection.toString() !== '' && region.contains(selection.anchorNode)
  return isSelecting || region.contains(document.activeElement)
}

const shown = new Map([...regions()].map((region) => [region.id, region.innerHTML]))

async function renew() {
  const fresh = await load()
  for (const region of regions()) {
    const next = fresh.getElementById(region.id)
    if (!next || next.innerHTML === shown.get(region.id) || isInUse(region)) continue
    shown.set(region.id, next.innerHTML)
    const known = keysIn(region)
    const open = [...region.querySelectorAll('details[open]')].map((one) => one.id)
    const places = [...region.querySelectorAll('.scroll')].map((one) => one.scrollLeft)
    region.replaceChildren(...document.importNode(next, true).childNodes)
    region.querySelectorAll('.scroll').forEach((one, index) => {
      one.scrollLeft = places[index] ?? 0
    })
    for (const one of region.querySelectorAll('details')) one.open = open.includes(one.id)
    for (const row of region.querySelectorAll('[data-key]'))
      if (!known.has(row.dataset.key)) row.classList.add('fresh')
    showTimes(region)
    showButtons(region)
  }
}

/** Not more often than this, in milliseconds, however much happens. */
const AT_MOST = 1_000
/** Heads move without any intent changing. */
const ALSO_EVERY = 10_000

let waiting = null
let last = 0

function renewSoon() {
  if (waiting !== null || document.hidden) return
  waiting = setTimeout(async () => {
    last = Date.now()
    await renew().catch(() => {})
    waiting = null
  }, Math.max(0, last + AT_MOST - Date.now()))
}

const sign = document.getElementById('live')

function showLive(isLive) {
  sign.hidden = false
  sign.textContent = isLive ? 'Live' : 'Reconnecting'
  sign.classList.toggle('off', !isLive)
}

function follow(what) {
  const only = what === 'all' ? '' : `(id: "${what}")`
  const query = `subscription { intentUpdated${only} { intentId } }`
  const source = new EventSource(`/graphql?query=${encodeURIComponent(query)}`)
  source.addEventListener('next', renewSoon)
  source.addEventListener('open', () => {
    showLive(true)
    // What changed before it was open.
    renewSoon()
  })
  source.addEventListener('error', () => {
    showLive(false)
    if (source.readyState === EventSource.CLOSED) setTimeout(() => follow(what), 5_000)
  })
  source.addEventListener('complete', () => {
    source.close()
    setTimeout(() => follow(what), 5_000)
  })
}

showTimes()
showButtons()
setInterval(showTimes, 10_000)
if (page.dataset.live) {
  follow(page.dataset.live)
  setInterval(renewSoon, ALSO_EVERY)
  document.addEventListener('visibilitychange', renewSoon)
}
