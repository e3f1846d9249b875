/*
 * forex: rates and conversion.
 *
 *   GET  /rates?base=USD&symbols=EUR,GBP&date=2026-01-02
 *   POST /convert   from, to, amount (JSON or form)
 */
var express = require('express');
var crypto = require('crypto');

// Units of each currency for one USD, as the desk quotes them.
var QUOTES = {
  USD: { bid: 1, ask: 1, places: 2 },
  EUR: { bid: 0.9193, ask: 0.9207, places: 2 },
  GBP: { bid: 0.7491, ask: 0.7509, places: 2 },
  JPY: { bid: 157.2, ask: 157.3, places: 0 },
  CHF: { bid: 0.8839, ask: 0.8851, places: 2 },
  SEK: { bid: 10.4972, ask: 10.5028, places: 2 }
};
var FEE = 0.005;
var LIMIT = 10000000;

function requestId() {
  return 'r-' + crypto.randomBytes(4).toString('hex');
}

function mid(currency) {
  return QUOTES[currency].bid + (QUOTES[currency].ask - QUOTES[currency].bid) / 2;
}

// Through the dollar.
function crossRate(from, to) {
  return from === to ? 1 : mid(to) * (1 / mid(from));
}

// Banker's rounding. 1e-9 because 0.045 * 100 is not 4.5.
function round(value, places) {
  var factor = Math.pow(10, places);
  var scaled = value * factor;
  var whole = Math.floor(scaled);
  var rest = scaled - whole;
  if (Math.abs(rest - 0.5) < 1e-9) return (whole % 2 === 0 ? whole : whole + 1) / factor;
  return Math.round(scaled) / factor;
}

function known(currency) {
  return Object.prototype.hasOwnProperty.call(QUOTES, currency);
}

function fail(res, status, code, message) {
  res.json(status, { error: { code: code, message: message }, requestId: requestId() });
}

// Asks the feed of one currency. They answer when they like.
function askFeed(base, currency, done) {
  var asked = process.hrtime();
  setTimeout(function () {
    var took = process.hrtime(asked);
    done({ currency: currency, rate: crossRate(base, currency) }, took[1] / 1e6);
  }, Math.floor(Math.random() * 12));
}

function rates(req, res) {
  var base = req.query.base === undefined ? 'USD' : req.query.base;
  if (Array.isArray(base)) base = base[base.length - 1];
  base = String(base).toUpperCase();
  if (!known(base)) return fail(res, 422, 'E_CCY', 'unknown ' + base);

  var date = req.query.date;
  if (date !== undefined) {
    if (!/^\d{4}-\d\d-\d\d$/.test(date) || isNaN(Date.parse(date))) return fail(res, 400, 'E_DATE', 'date must be YYYY-MM-DD');
    if (Date.parse(date) > Date.now()) return fail(res, 404, 'E_DATE', 'no rates for ' + date + ' yet');
  }

  var wanted = Object.keys(QUOTES).filter(function (currency) { return currency !== base; });
  if (typeof req.query.symbols === 'string') {
    var symbols = req.query.symbols.toUpperCase().split(',');
    wanted = wanted.filter(function (currency) { return symbols.indexOf(currency) !== -1; });
  }

  var quotes = [];
  var slow = [];
  var finish = function () {
    res.json({
      base: base,
      timestamp: new Date().toISOString(),
      count: quotes.length,
      rates: quotes,
      requestId: requestId(),
      meta: { pid: process.pid, slowFeeds: slow, heapBytes: process.memoryUsage().heapUsed }
    });
  };
  if (!wanted.length) return finish();
  wanted.forEach(function (currency) {
    askFeed(base, currency, function (quote, tookMs) {
      quotes.push(quote);
      if (tookMs > 6) slow.push(currency + ' ' + tookMs.toFixed(1) + ' ms');
      if (quotes.length === wanted.length) finish();
    });
  });
}

function convert(req, res) {
  var body = req.body;
  if (!body || !Object.keys(body).length) return fail(res, 400, 'E_BODY', 'from, to and amount are required');

  var from = String(body.from).toUpperCase();
  var to = String(body.to).toUpperCase();
  if (!known(from)) return fail(res, 422, 'E_CCY', 'unknown ' + from);
  if (!known(to)) return fail(res, 422, 'E_CCY', 'unknown ' + to);

  var amount = typeof body.amount === 'string' ? parseFloat(body.amount) : body.amount;
  if (typeof amount !== 'number' || !isFinite(amount)) return fail(res, 422, 'E_AMOUNT', 'amount must be a number');
  if (amount < 0) return fail(res, 422, 'E_AMOUNT', 'amount must not be negative');
  if (amount > LIMIT) return fail(res, 422, 'E_LIMIT', 'at most ' + LIMIT.toFixed(2) + ' at once');

  var rate = crossRate(from, to);
  var fee = from === to ? 0 : amount * FEE;
  // By hand: JSON.stringify would drop the zeroes of 10.00.
  res.set('Content-Type', 'application/json; charset=utf-8');
  res.send('{\n' +
    '  "from": "' + from + '",\n' +
    '  "to": "' + to + '",\n' +
    '  "amount": ' + round(amount * rate, QUOTES[to].places).toFixed(QUOTES[to].places) + ',\n' +
    '  "rate": ' + rate + ',\n' +
    '  "fee": ' + round(fee, QUOTES[from].places).toFixed(QUOTES[from].places) + ',\n' +
    '  "timestamp": "' + new Date().toISOString() + '",\n' +
    '  "requestId": "' + requestId() + '"\n' +
    '}');
}

var app = express();
app.set('json spaces', 2);
app.use(express.json({ limit: '64kb' }));
app.use(express.urlencoded({ limit: '64kb' }));
app.use(express.methodOverride());
app.get('/rates', rates);
app.post('/convert', convert);

var at = process.argv.indexOf('--port');
var port = at === -1 ? 3000 : Number(process.argv[at + 1]);
app.listen(port, '127.0.0.1', function () {
  console.log('forex on ' + port);
});
