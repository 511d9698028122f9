// A dashboard from one request: names, decimals and chains come from the API; nothing is hard-coded.
// Serve this folder with any web server, such as `python3 -m http.server -d examples/dashboard 8000`, and open
// http://127.0.0.1:8000/?api=… with the API's address, which `npm start` prints as REST.

const api = new URLSearchParams(location.search).get('api')

const QUERY = `{
  statusCounts { countedAt pending solving settled completed failed expired cancelled }
  pairTotals(first: 10, orderBy: { field: completed, direction: desc }) {
    nodes {
      sourceChain
      destChain
      tokenA
      tokenAInfo { symbol }
      tokenB
      tokenBInfo { symbol }
      completed
      completedVolumeA
      completedVolumeADecimal
      completionTimes { p50 }
    }
  }
  _meta { chains { chain block lagSeconds } }
}`

async function read() {
  const answer = await fetch(`${api}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: QUERY }),
  })
  const { data, errors } = await answer.json()
  if (errors) throw new Error(errors[0].message)
  return data
}

/** Text only: a token's name is untrusted. */
function cell(content, isNumber = false) {
  const td = document.createElement('td')
  if (isNumber) td.className = 'n'
  td.append(content)
  return td
}

function fill(id, rows) {
  const body = document.querySelector(`#${id} tbody`)
  body.replaceChildren(
    ...rows.map((cells) => {
      const row = document.createElement('tr')
      row.append(...cells)
      return row
    }),
  )
}

function share(part, whole) {
  const meter = document.createElement('meter')
  meter.max = whole
  meter.value = part
  meter.ariaLabel = `${part} of ${whole}`
  return meter
}

function show({ statusCounts: { countedAt, ...counts }, pairTotals, _meta }) {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  fill(
    'statuses',
    Object.entries(counts).map(([status, count]) => [
      cell(status),
      cell(count.toLocaleString(), true),
      cell(share(count, all)),
    ]),
  )
  fill(
    'pairs',
    pairTotals.nodes.map((pair) => [
      cell(`${pair.tokenAInfo.symbol ?? pair.tokenA} on ${pair.sourceChain}`),
      cell(`${pair.tokenBInfo.symbol ?? pair.tokenB} on ${pair.destChain}`),
      cell(pair.completed.toLocaleString(), true),
      cell(pair.completedVolumeADecimal ?? `${pair.completedVolumeA} base units`, true),
      cell(pair.completionTimes.p50 === null ? '–' : `${pair.completionTimes.p50} s`, true),
    ]),
  )
  fill(
    'chains',
    _meta.chains.map(({ chain, block, lagSeconds }) => [
      cell(chain),
      cell(String(block), true),
      cell(lagSeconds === null ? '–' : `${lagSeconds} s`, true),
    ]),
  )
  document.getElementById('state').textContent = `${all.toLocaleString()} intents, ${countedAt}`
}

async function renew() {
  if (!api) {
    document.getElementById('state').textContent =
      'Add the API’s address to this page’s: ?api=http://127.0.0.1:8080'
    return
  }
  try {
    show(await read())
  } catch (error) {
    document.getElementById('state').textContent = `${api} doesn’t answer: ${error.message}`
  }
}

await renew()
setInterval(renew, 10_000)
