# forex: rates and conversion.
#
#   GET  /rates?base=USD&symbols=EUR,GBP&date=2026-01-02
#   POST /convert   from, to, amount (JSON or form)
require 'bigdecimal/util'
require 'date'
require 'json'
require 'securerandom'
require 'sinatra/base'
require 'time'

class Forex < Sinatra::Base
  # Units of each currency for one USD, as the desk quotes them.
  QUOTES = {
    'USD' => { bid: '1', ask: '1', places: 2 },
    'EUR' => { bid: '0.9193', ask: '0.9207', places: 2 },
    'GBP' => { bid: '0.7491', ask: '0.7509', places: 2 },
    'JPY' => { bid: '157.2', ask: '157.3', places: 0 },
    'CHF' => { bid: '0.8839', ask: '0.8851', places: 2 },
    'SEK' => { bid: '10.4972', ask: '10.5028', places: 2 }
  }.freeze
  FEE = '0.005'.to_d
  LIMIT = 10_000_000
  RATE_PLACES = 6
  BODY_LIMIT = 64 * 1024

  set :environment, :production
  set :bind, '0.0.0.0'
  set :port, ENV.fetch('PORT', '4567').to_i
  set :server, :puma
  set :server_settings, Threads: '1:4'
  set :strict_paths, false
  enable :method_override

  helpers do
    def now
      ENV['PARITY_CLOCK'] ? Time.iso8601(ENV['PARITY_CLOCK']).utc : Time.now.utc
    end

    def mid(currency)
      (QUOTES[currency][:bid].to_d + QUOTES[currency][:ask].to_d) / 2
    end

    # Through the dollar.
    def cross_rate(from, to)
      mid(to) / mid(from)
    end

    def bankers(value, places)
      value.round(places, BigDecimal::ROUND_HALF_EVEN).to_f
    end

    def request_id
      "r-#{SecureRandom.hex(4)}"
    end

    def refuse(status, code, message)
      halt status, json(error: { code: code, message: message }, requestId: request_id)
    end

    def json(value)
      content_type :json
      JSON.generate(value)
    end

    def currency(given)
      code = given.to_s.upcase
      refuse 422, 'E_CCY', "unknown #{code}" unless QUOTES.key?(code)
      code
    end

    # Text counts as far as it reads as a number.
    def amount(given)
      value = given.is_a?(Numeric) || given.to_s =~ /\A\s*[-+]?\d/ ? given.to_s.to_d : nil
      value = BigDecimal('Infinity') if given.is_a?(Float) && given.infinite?
      refuse 422, 'E_AMOUNT', 'amount must be a number' if value.nil?
      refuse 422, 'E_AMOUNT', 'amount must not be negative' if value.negative?
      refuse 422, 'E_LIMIT', format('at most %.2f at once', LIMIT) if value > LIMIT
      value
    end

    # What was sent: a form as Rack reads it, JSON by hand.
    def fields
      return params unless request.media_type == 'application/json'

      charset = request.media_type_params.fetch('charset', 'utf-8')
      halt 415, 'Unsupported Media Type' if request.env['HTTP_CONTENT_ENCODING'] || charset.downcase != 'utf-8'
      text = request.body.read
      return {} if text.empty?

      value = JSON.parse(text)
      value.is_a?(Hash) ? value : {}
    rescue JSON::ParserError => e
      refuse 400, 'E_JSON', e.message
    end
  end

  before do
    halt 413, 'Request Entity Too Large' if request.content_length.to_i > BODY_LIMIT
  end

  get '/rates' do
    base = currency(params.fetch('base', 'USD'))
    if params['date']
      begin
        day = Date.strptime(params['date'], '%Y-%m-%d')
      rescue ArgumentError
        refuse 400, 'E_DATE', 'date must be YYYY-MM-DD'
      end
      refuse 404, 'E_DATE', "no rates for #{params['date']} yet" if day > now.to_date
    end

    wanted = QUOTES.keys - [base]
    wanted &= params['symbols'].upcase.split(',') if params['symbols'].is_a?(String)
    etag SecureRandom.hex(8)
    json(
      base: base,
      timestamp: now.iso8601,
      count: wanted.size,
      rates: wanted.map { |to| { currency: to, rate: bankers(cross_rate(base, to), RATE_PLACES) } },
      requestId: request_id
    )
  end

  post '/convert' do
    given = fields
    refuse 400, 'E_BODY', 'from, to and amount are required' if given.empty?

    from = currency(given['from'])
    to = currency(given['to'])
    amount = amount(given['amount'])
    fee = from == to ? 0.to_d : amount * FEE
    json(
      from: from,
      to: to,
      amount: bankers(amount * cross_rate(from, to), QUOTES[to][:places]),
      rate: bankers(cross_rate(from, to), RATE_PLACES),
      fee: bankers(fee, QUOTES[from][:places]),
      timestamp: now.iso8601,
      requestId: request_id
    )
  end

  run! if app_file == $PROGRAM_NAME
end
