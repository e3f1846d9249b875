// Prices the cart on standard input: prints the priced cart, or {"threw": ...} and exits with 1.
var price = require('./pricing').price;

var text = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', function (chunk) { text += chunk; });
process.stdin.on('end', function () {
  var exit = 0;
  var answer;
  try {
    answer = price(JSON.parse(text));
  } catch (error) {
    exit = 1;
    answer = { threw: { name: error.name, code: error.code === undefined ? null : error.code, message: error.message } };
  }
  process.on('exit', function () { process.exit(exit); });
  process.stdout.write(JSON.stringify(answer) + '\n');
});
