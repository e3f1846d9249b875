// Prices of carts. Written for Node 0.10.
var DIGITS = { USD: 2, EUR: 2, JPY: 0, KWD: 3 };
var TIERS = { gold: 5, silver: 2 };
var COUPONS = { SPRING: { percent: 10 }, TENOFF: { amount: 10 } };
var LIMIT = 1e12;

function PricingError(code, message) {
  this.name = 'PricingError';
  this.code = code;
  this.message = message;
}
PricingError.prototype = new Error();
PricingError.prototype.constructor = PricingError;

// Half to even; what is within a billionth of a half counts as one, because 1.005 * 100 is 100.49999999999999.
function round(value, digits) {
  var factor = Math.pow(10, digits);
  var scaled = value * factor;
  var whole = Math.floor(scaled);
  var rest = scaled - whole;
  if (Math.abs(rest - 0.5) < 1e-9) return (whole % 2 === 0 ? whole : whole + 1) / factor;
  return Math.round(scaled) / factor;
}

function checkLine(line, at) {
  if (typeof line.price !== 'number' || line.price < 0) {
    throw new PricingError('E_PRICE', 'line ' + at + ': price ' + line.price);
  }
  if (line.quantity % 1 !== 0) {
    throw new PricingError('E_QUANTITY', 'line ' + at + ': quantity ' + line.quantity);
  }
}

function priceLine(line, digits) {
  var gross = round(line.price * line.quantity, digits);
  var net = gross;
  var discounts = line.discounts || [];
  for (var i = 0; i < discounts.length; i++) {
    if (!(discounts[i] >= 0 && discounts[i] <= 100)) {
      throw new PricingError('E_DISCOUNT', line.sku + ': discount ' + discounts[i]);
    }
    net = round(net - net * discounts[i] / 100, digits);
  }
  return { sku: line.sku, quantity: line.quantity, gross: gross, net: net };
}

function couponOf(cart) {
  var known = COUPONS.hasOwnProperty(cart.coupon) ? COUPONS[cart.coupon] : null;
  if (known === null) throw new PricingError('E_COUPON', 'no coupon ' + cart.coupon);
  return known;
}

function price(cart) {
  if (!DIGITS.hasOwnProperty(cart.currency)) throw new PricingError('E_CURRENCY', 'no currency ' + cart.currency);
  var digits = DIGITS[cart.currency];
  var lines = [];
  var count = 0;
  var gross = 0;
  var subtotal = 0;
  for (var i = 0; i < cart.lines.length; i++) {
    checkLine(cart.lines[i], i + 1);
    var line = priceLine(cart.lines[i], digits);
    lines.push(line);
    count += line.quantity;
    gross += line.gross;
    subtotal += line.net;
  }
  subtotal = round(subtotal, digits);
  if (Math.abs(subtotal) > LIMIT) {
    var error = new RangeError('the cart is worth more than ' + LIMIT);
    error.code = 'E_LIMIT';
    throw error;
  }

  var applied = [];
  var discount = 0;
  if (cart.customer && TIERS[cart.customer.tier]) {
    discount = round(subtotal * TIERS[cart.customer.tier] / 100, digits);
    applied.push('tier:' + cart.customer.tier);
  }
  if (cart.coupon !== undefined) {
    var coupon = couponOf(cart);
    if (coupon.percent) discount += round((subtotal - discount) * coupon.percent / 100, digits);
    else discount += Math.min(coupon.amount, subtotal - discount);
    applied.push('coupon:' + cart.coupon);
  }
  discount = round(discount, digits);

  var taxed = round(subtotal - discount, digits);
  var answer = {
    currency: cart.currency,
    lines: lines,
    count: count,
    subtotal: subtotal,
    discount: discount,
    total: taxed,
    // how much of the full price is saved; of nothing it is 0 / 0
    saved: 1 - taxed / gross,
    applied: applied
  };
  if (cart.taxPercent !== undefined) {
    answer.tax = round(taxed * cart.taxPercent / 100, digits);
    answer.total = round(taxed + answer.tax, digits);
  }
  return answer;
}

exports.price = price;
