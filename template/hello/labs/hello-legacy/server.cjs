// The legacy: nobody likes to touch it, and its behaviour is the truth.
// A stand-in so that `vitest-parity init` has something to record from. It runs on the Node of your PATH.
var http = require('http')
var crypto = require('crypto')

var WORDS = { en: 'Hello', de: 'Hallo', fr: 'Bonjour' }
var FORMAL = { en: 'Good day', de: 'Guten Tag', fr: 'Bonjour, chère cliente, cher client' }

function send(res, status, payload) {
  payload.requestId = crypto.randomUUID()
  res.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' })
  res.end(JSON.stringify(payload, null, 2) + '\n')
}

function fail(res, status, code, message) {
  send(res, status, { error: { code: code, message: message } })
}

// A parameter that is given twice: the last one wins. Clients have come to depend on it.
function parse(query) {
  var params = {}
  query.split('&').forEach(function (pair) {
    var at = pair.indexOf('=')
    if (at > 0) params[pair.slice(0, at)] = pair.slice(at + 1)
  })
  return params
}

function greet(res, rawName, params) {
  var name
  try {
    name = decodeURIComponent(rawName)
  } catch (e) {
    return fail(res, 400, 'E_ENCODING', 'the name is not percent-encoded')
  }
  if (name === '') return fail(res, 400, 'E_NAME', 'a name is missing')
  if (name.length > 40) return fail(res, 414, 'E_LONG', 'a name has at most 40 letters')
  var lang = params.lang || 'en'
  if (!Object.prototype.hasOwnProperty.call(WORDS, lang)) {
    return fail(res, 422, 'E_LANGUAGE', 'no greeting in ' + lang)
  }
  var greeting = params.formal === '1' ? FORMAL[lang] + ', ' + name + '.' : WORDS[lang] + ', ' + name + '!'
  send(res, 200, {
    greeting: greeting,
    language: lang,
    width: name.length * 0.1,
    servedAt: new Date().toISOString()
  })
}

var server = http.createServer(function (req, res) {
  var at = req.url.indexOf('?')
  var path = at < 0 ? req.url : req.url.slice(0, at)
  var params = parse(at < 0 ? '' : req.url.slice(at + 1))
  if (req.method !== 'GET') return fail(res, 405, 'E_METHOD', 'only GET')
  if (path === '/languages') return send(res, 200, { languages: Object.keys(WORDS), formal: true })
  if (path === '/health') return send(res, 200, { ok: true })
  if (path.indexOf('/hello/') === 0) return greet(res, path.slice('/hello/'.length), params)
  fail(res, 404, 'E_ROUTE', 'no ' + path)
})
server.listen(Number(process.argv[process.argv.indexOf('--port') + 1]), '127.0.0.1')
