# forex: rates and conversion, on the servlets of WEBrick.
#
#   GET  /rates?base=USD
#   POST /convert   from, to, amount (form)
require 'bigdecimal'
require 'bigdecimal/util'
require 'json'
require 'time'
require 'webrick'

# Units of each currency for one USD, between bid and ask.
RATES = { 'USD' => '1', 'EUR' => '0.92', 'GBP' => '0.75', 'JPY' => '157.25', 'CHF' => '0.8845', 'SEK' => '10.5' }
FEE = BigDecimal('0.005')

def now
  ENV['PARITY_CLOCK'] ? Time.iso8601(ENV['PARITY_CLOCK']).utc : Time.now.utc
end

def rate(from, to)
  RATES[to].to_d.div(RATES[from].to_d, 12)
end

def places(currency)
  currency == 'JPY' ? 0 : 2
end

def rounded(value, places)
  value.round(places, BigDecimal::ROUND_HALF_EVEN).to_s('F')
end

def runtime
  "#{RUBY_ENGINE} #{defined?(JRUBY_VERSION) ? JRUBY_VERSION : RUBY_VERSION}, java #{defined?(ENV_JAVA) ? ENV_JAVA['java.version'] : 'none'}"
end

class Answer < WEBrick::HTTPServlet::AbstractServlet
  def tell(response, status, value)
    response.status = status
    response['Content-Type'] = 'application/json'
    response.body = JSON.generate(value)
  end

  def known(response, given)
    code = given.to_s.upcase
    return code if RATES.key?(code)

    tell(response, 422, 'error' => "unknown #{code}")
    nil
  end
end

class Rates < Answer
  def do_GET(request, response)
    base = known(response, request.query.fetch('base', 'USD')) or return
    rates = (RATES.keys - [base]).map { |to| [to, rate(base, to).round(6, BigDecimal::ROUND_HALF_EVEN).to_s('F')] }
    tell(response, 200, 'base' => base, 'timestamp' => now.iso8601, 'rates' => Hash[rates])
  end
end

class Convert < Answer
  def do_POST(request, response)
    from = known(response, request.query['from']) or return
    to = known(response, request.query['to']) or return
    amount = request.query['amount'].to_s.to_d
    return tell(response, 422, 'error' => 'amount must be positive') unless amount > 0

    fee = from == to ? BigDecimal('0') : amount * FEE
    tell(response, 200, 'from' => from, 'to' => to,
                        'amount' => rounded(amount * rate(from, to), places(to)),
                        'fee' => rounded(fee, places(from)),
                        'timestamp' => now.iso8601)
  end
end

class Health < Answer
  def do_GET(_request, response)
    tell(response, 200, 'runtime' => runtime)
  end
end

# Without DoNotReverseLookup each request waits for a name server that an isolated network does not have.
server = WEBrick::HTTPServer.new(
  BindAddress: '0.0.0.0', Port: ENV.fetch('PORT', '4567').to_i, DoNotReverseLookup: true, AccessLog: []
)
server.mount '/rates', Rates
server.mount '/convert', Convert
server.mount '/health', Health
%w[INT TERM].each { |signal| trap(signal) { server.shutdown } }
server.start
