// Pins the time for the program that it starts: node clock.js <program> [arguments]
//
// The program and its packages see a Date whose present is the instant in PARITY_CLOCK and stays there.
// Node's own modules keep the real one: the timers of 0.10 never fire when Date stands still.
var Module = require('module');
var path = require('path');

var RealDate = Date;
var instant = RealDate.parse(process.env.PARITY_CLOCK || '');

function PinnedDate(year, month, day, hour, minute, second, ms) {
  if (!(this instanceof PinnedDate)) return new RealDate(instant).toString();
  switch (arguments.length) {
    case 0: return new RealDate(instant);
    case 1: return new RealDate(year);
    default: return new RealDate(year, month, day === undefined ? 1 : day, hour || 0, minute || 0, second || 0, ms || 0);
  }
}
PinnedDate.prototype = RealDate.prototype;
PinnedDate.now = function () { return instant; };
PinnedDate.parse = RealDate.parse;
PinnedDate.UTC = RealDate.UTC;

if (!isNaN(instant)) {
  process.parityDate = PinnedDate;
  Module.wrap = function (source) {
    return '(function (Date) { return ' + Module.wrapper[0] + source + Module.wrapper[1].replace(/;\s*$/, '') + '; })(process.parityDate)';
  };
}

process.argv.splice(1, 1);
process.argv[1] = path.resolve(process.argv[1]);
Module._load(process.argv[1], null, true);
