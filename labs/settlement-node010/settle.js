// Settles the batch on standard input. Written for Node 0.10.
//
// Prints what was settled, what was rejected and the totals; or {"threw": ...} and exits with 1 when the batch as a
// whole is of no use. Its day is that of PARITY_CLOCK.
var DIGITS = { EUR: 2, USD: 2, JPY: 0 };
var KINDS = { sale: 1, refund: -1 };
var FEE_PERCENT = 1.5;

function BatchError(code, message) {
  this.name = 'BatchError';
  this.code = code;
  this.message = message;
}
BatchError.prototype = new Error();
BatchError.prototype.constructor = BatchError;

// Half to even; what is within a millionth of a half counts as one.
function round(value, digits) {
  var factor = Math.pow(10, digits);
  var scaled = value * factor;
  var whole = Math.floor(scaled);
  if (Math.abs(scaled - whole - 0.5) < 1e-6) return (whole % 2 === 0 ? whole : whole + 1) / factor;
  return Math.round(scaled) / factor;
}

// Why a record is rejected: the first reason counts.
function reasonAgainst(record, seen, today) {
  if (typeof record !== 'object' || record === null || typeof record.id !== 'string') return 'E_RECORD';
  if (seen.hasOwnProperty(record.id)) return 'E_DUPLICATE';
  seen[record.id] = true;
  if (!KINDS.hasOwnProperty(record.kind)) return 'E_KIND';
  if (!DIGITS.hasOwnProperty(record.currency)) return 'E_CURRENCY';
  if (!/^\d{1,9}(\.\d{1,3})?$/.test(record.amount) || parseFloat(record.amount) === 0) return 'E_AMOUNT';
  if (record.date > today) return 'E_FUTURE';
  return null;
}

function settle(batch, today) {
  if (!Array.isArray(batch.records)) throw new BatchError('E_BATCH', 'batch ' + batch.batch + ' has no records');
  if (batch.control !== undefined && batch.control !== batch.records.length) {
    throw new BatchError('E_CONTROL', 'batch ' + batch.batch + ' should hold ' + batch.control + ' records');
  }
  var seen = {};
  var results = [];
  var rejects = [];
  var totals = {};
  batch.records.forEach(function (record, at) {
    var reason = reasonAgainst(record, seen, today);
    if (reason !== null) {
      rejects.push({ line: at + 1, id: record && record.id || null, code: reason });
      return;
    }
    var digits = DIGITS[record.currency];
    var amount = round(parseFloat(record.amount), digits);
    var fee = record.kind === 'sale' ? round(amount * FEE_PERCENT / 100, digits) : 0;
    results.push({
      id: record.id,
      account: record.account,
      currency: record.currency,
      amount: KINDS[record.kind] * amount,
      fee: fee,
      at: at
    });
    var total = totals[record.currency] = totals[record.currency] || { currency: record.currency, count: 0, amount: 0, fee: 0 };
    total.count += 1;
    total.amount += KINDS[record.kind] * amount;
    total.fee += fee;
  });
  // The sort of this engine does not keep the order of equals.
  results.sort(function (a, b) {
    if (a.account !== b.account) return a.account < b.account ? -1 : 1;
    return b.amount - a.amount || a.at - b.at;
  });
  results.forEach(function (result) { delete result.at; });
  return {
    run: 'run-' + ('00000000' + Math.floor(Math.random() * 0x7fffffff).toString(16)).slice(-8),
    batch: batch.batch,
    settledOn: today,
    results: results,
    rejects: rejects,
    totals: {
      accepted: results.length,
      rejected: rejects.length,
      currencies: Object.keys(totals).sort().map(function (name) {
        var total = totals[name];
        total.amount = round(total.amount, DIGITS[name]);
        total.fee = round(total.fee, DIGITS[name]);
        return total;
      })
    }
  };
}

var text = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', function (chunk) { text += chunk; });
process.stdin.on('end', function () {
  var exit = 0;
  var answer;
  try {
    answer = settle(JSON.parse(text), process.env.PARITY_CLOCK.slice(0, 10));
  } catch (error) {
    exit = 1;
    answer = { threw: { name: error.name, code: error.code === undefined ? null : error.code, message: error.message } };
  }
  process.on('exit', function () { process.exit(exit); });
  process.stdout.write(JSON.stringify(answer) + '\n');
});
