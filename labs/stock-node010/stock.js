// stock find <sku...> | total [--bin <bin>] | report: says what is in stock. Written for Node 0.10.
//
// The scheduler hands the words of the command line over as a JSON list on standard input.
// Exit: 0 all well, 1 some were found, 2 wrong usage, 3 none was found, 4 the input cannot be read.
var fs = require('fs');

var USAGE = 'usage: stock find <sku...> | total [--bin <bin>] | report';
var SKU = /^[A-Z\u00c0-\u00de]-\d{3}$/;

function fail(exit, lines) {
  var error = new Error(lines.join('\n'));
  error.exit = exit;
  throw error;
}

function readTable() {
  var rows = [];
  fs.readFileSync(process.env.STOCK_TABLE, 'utf8').split('\n').forEach(function (line) {
    if (line === '' || line.charAt(0) === '#') return;
    var fields = line.split(';');
    rows.push({ sku: fields[0], bin: fields[1], pieces: parseInt(fields[2], 10), price: parseFloat(fields[3]) });
  });
  return rows;
}

function pad(text, width) {
  text = String(text);
  while (text.length < width) text = ' ' + text;
  return text;
}

function find(words, out, err) {
  if (words.length === 0) fail(2, ['stock: find: which?', USAGE]);
  var wrong = words.filter(function (word) { return !SKU.test(word); });
  if (wrong.length > 0) fail(4, wrong.map(function (word) { return 'stock: ' + word + ': no article number'; }));
  var rows = readTable();
  var found = 0;
  words.forEach(function (word) {
    var row = rows.filter(function (row) { return row.sku === word; })[0];
    if (row === undefined) return err.push('stock: ' + word + ': not found');
    found += 1;
    out.push(row.sku + ' ' + row.bin + pad(row.pieces, 5) + (row.pieces === 0 ? ' SOLD OUT' : ''));
  });
  if (found === words.length) return 0;
  return found === 0 ? 3 : 1;
}

function total(words, out) {
  var bin = null;
  if (words.length > 0) {
    if (words[0] !== '--bin' || words.length !== 2) fail(2, ['stock: total: unknown option ' + words[0], USAGE]);
    bin = words[1];
  }
  var pieces = 0;
  var worth = 0;
  var seen = 0;
  readTable().forEach(function (row) {
    if (bin !== null && row.bin !== bin) return;
    seen += 1;
    pieces += row.pieces;
    worth += row.pieces * row.price;
  });
  if (seen === 0) fail(3, ['stock: bin ' + bin + ': not found']);
  out.push('articles' + pad(seen, 10));
  out.push('pieces  ' + pad(pieces, 10));
  out.push('worth   ' + pad(worth.toFixed(2), 10));
  return 0;
}

function report(words, out, err) {
  if (words.length > 0) fail(2, ['stock: report: too many words', USAGE]);
  var bins = {};
  readTable().forEach(function (row) {
    var bin = bins[row.bin] = bins[row.bin] || { bin: row.bin, pieces: 0, worth: 0, empty: [] };
    bin.pieces += row.pieces;
    bin.worth += row.pieces * row.price;
    if (row.pieces === 0) bin.empty.push(row.sku);
  });
  var list = Object.keys(bins).map(function (name) {
    var bin = bins[name];
    // written by hand, so that money has its two digits
    return '{"bin":"' + bin.bin + '","pieces":' + bin.pieces + ',"worth":' + bin.worth.toFixed(2) +
      ',"empty":' + JSON.stringify(bin.empty) + '}';
  });
  var id = Math.floor(Math.random() * 0x7fffffff).toString(16);
  out.push('{"report":"r-' + ('00000000' + id).slice(-8) + '","at":"' + process.env.PARITY_CLOCK + '","bins":[' + list.join(',') + ']}');
  Object.keys(bins).forEach(function (name) {
    bins[name].empty.forEach(function (sku) { err.push('stock: warning: ' + sku + ' is sold out'); });
  });
  return 0;
}

function run(text, out, err) {
  var words;
  try {
    words = JSON.parse(text);
  } catch (error) {
    words = null;
  }
  if (!Array.isArray(words)) fail(4, ['stock: the words of the command line are no list']);
  if (words.indexOf('--help') !== -1) {
    out.push(USAGE);
    return 0;
  }
  switch (words[0]) {
    case 'find': return find(words.slice(1), out, err);
    case 'total': return total(words.slice(1), out);
    case 'report': return report(words.slice(1), out, err);
    case undefined: return fail(2, [USAGE]);
    default: return fail(2, ['stock: unknown command ' + words[0], USAGE]);
  }
}

var text = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', function (chunk) { text += chunk; });
process.stdin.on('end', function () {
  var out = [];
  var err = [];
  var exit;
  try {
    exit = run(text, out, err);
  } catch (error) {
    if (error.exit === undefined) throw error;
    exit = error.exit;
    err.push(error.message);
  }
  process.on('exit', function () { process.exit(exit); });
  if (out.length > 0) process.stdout.write(out.join('\n') + '\n');
  if (err.length > 0) process.stderr.write(err.join('\n') + '\n');
});
