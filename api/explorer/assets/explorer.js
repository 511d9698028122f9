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
  // In a narrow column, a number stays with its unit.
  const long = `${Math.floor(Math.abs(seconds) / size)}\u00a0${unit}`
  return seconds < 0 ? `in ${long}` : `${long} ago`
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

// ── Scripts loaded on demand ─────────────────────────────────────────────────────────────────────

for (const button of document.querySelectorAll('[data-run]')) {
  button.hidden = false
  button.addEventListener('click', async () => {
    button.disabled = true
    button.parentElement.querySelector('.not-loaded')?.remove()
    const script = await import(page.dataset.script).catch(() => null)
    if (script) return script.run(button.closest('section'))
    button.disabled = false
    showFailure(button)
  })
}

/** Says below a button that its script couldn't be loaded. */
function showFailure(button) {
  const words = document.createElement('p')
  words.className = 'quiet failed not-loaded'
  words.role = 'status'
  words.textContent = 'This couldn’t be loaded. Check your connection, then reload the page.'
  button.after(words)
}

// ── On phones the menu is wider than the screen: scroll to the page's entry ──────────────────────

const entry = document.querySelector('nav [aria-current]')
entry?.closest('nav').scrollTo({ left: entry.offsetLeft - 24 })

// ── Search by keyboard ───────────────────────────────────────────────────────────────────────────

document.addEventListener('keydown', (event) => {
  const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName ?? '')
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  document.getElementById('top-search').focus()
})

// ── Live regions: load the page again and replace the regions that differ ────────────────────────

/** Loads this page as a document: the browser parses it and runs none of its scripts. */
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

/** Whether the reader types or selects in a region. Such a region is updated later. */
function isInUse(region) {
  const selection = getSelection()
  const isSelecting = selection.toString() !== '' && region.contains(selection.anchorNode)
  return isSelecting || region.contains(document.activeElement)
}

const shown = new Map([...regions()].map((region) => [region.id, region.innerHTML]))

async function updateRegions() {
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

/** Milliseconds between two updates, at least. */
const MIN_INTERVAL = 1_000
/** Milliseconds between updates without a change of an intent, because chain heads move too. */
const REFRESH_EVERY = 10_000

let timer = null
let lastUpdate = 0

function updateSoon() {
  if (timer !== null || document.hidden) return
  timer = setTimeout(async () => {
    lastUpdate = Date.now()
    await updateRegions().catch(() => {})
    timer = null
  }, Math.max(0, lastUpdate + MIN_INTERVAL - Date.now()))
}

const liveMark = document.getElementById('live')

function showLive(isLive) {
  liveMark.hidden = false
  liveMark.textContent = isLive ? 'Live' : 'Reconnecting'
  liveMark.classList.toggle('off', !isLive)
}

function follow(what) {
  const only = what === 'all' ? '' : `(id: "${what}")`
  const query = `subscription { intentUpdated${only} { intentId } }`
  const source = new EventSource(`/graphql?query=${encodeURIComponent(query)}`)
  source.addEventListener('next', updateSoon)
  source.addEventListener('open', () => {
    showLive(true)
    // Catch up on changes from before the connection.
    updateSoon()
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
  setInterval(updateSoon, REFRESH_EVERY)
  document.addEventListener('visibilitychange', updateSoon)
}
