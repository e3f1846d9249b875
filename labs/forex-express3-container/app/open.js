// Lets the program that it starts be asked from outside its container: node open.js <program> [arguments]
//
// The service listens at 127.0.0.1, which is nobody else's in a container. Here the same call listens at every address.
var Module = require('module');
var net = require('net');
var path = require('path');

var listen = net.Server.prototype.listen;
net.Server.prototype.listen = function () {
  var args = Array.prototype.map.call(arguments, function (given) { return given === '127.0.0.1' ? '0.0.0.0' : given; });
  return listen.apply(this, args);
};

process.argv.splice(1, 1);
process.argv[1] = path.resolve(process.argv[1]);
Module._load(process.argv[1], null, true);
