/** Generates events as browsers send them to a product-analytics service. The same seed gives the same events. */

export type BenchEvent = {
  uuid: string;
  event: string;
  distinct_id: string;
  timestamp: string;
  properties: Record<string, unknown>;
};

const EVENTS = [
  '$pageview',
  '$pageview',
  '$pageview',
  '$autocapture',
  '$autocapture',
  '$pageleave',
  'signed_up',
  'paid',
];
const PATHS = ['', 'pricing', 'docs', 'docs/install', 'blog', 'login', 'signup', 'settings/project', 'dashboard'];
const BROWSERS = ['Chrome', 'Safari', 'Firefox', 'Microsoft Edge', 'Mobile Safari'];
const SYSTEMS = ['Windows', 'Mac OS X', 'iOS', 'Android', 'Linux'];
const USER_AGENTS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko)',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)',
];
const CITIES = ['Berlin', 'São Paulo', 'New York', '東京', 'London', 'München', 'Lagos', 'Pune'];
const START = Date.UTC(2026, 0, 15, 10);
const HOUR_MS = 3_600_000;

/** @yields `count` events in the order of their timestamps, spread over an hour; properties are about 930 bytes of JSON */
export function* benchEvents(count: number, seed = 1): Generator<BenchEvent> {
  const random = mulberry32(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const word = () =>
    below(2 ** 32)
      .toString(16)
      .padStart(8, '0');
  const hex = (digits: number) => (digits > 8 ? word() + word() : word()).slice(0, digits);
  const pick = <T>(values: readonly T[]) => values[below(values.length)]!;
  const people = Array.from({ length: 2000 }, () => `${hex(8)}-${hex(4)}-7${hex(3)}-a${hex(3)}-${hex(12)}`);

  for (let i = 0; i < count; i++) {
    const distinctId = pick(people);
    const host = 'https://app.example.com';
    const pathname = `/${pick(PATHS)}`;
    const width = 320 + below(2200);
    yield {
      uuid: `${hex(8)}-${hex(4)}-7${hex(3)}-b${hex(3)}-${hex(12)}`,
      event: pick(EVENTS),
      distinct_id: distinctId,
      timestamp: new Date(START + Math.floor((i * HOUR_MS) / count)).toISOString(),
      properties: {
        $ip: `${below(256)}.${below(256)}.${below(256)}.${below(256)}`,
        $os: pick(SYSTEMS),
        $browser: pick(BROWSERS),
        $user_agent: `${pick(USER_AGENTS)} Chrome/${90 + below(50)}.0.${below(7000)}.0 Safari/537.36`,
        $browser_version: 90 + below(50),
        $current_url: `${host}${pathname}?utm_source=${hex(6)}`,
        $pathname: pathname,
        $host: 'app.example.com',
        $referrer: random() < 0.5 ? '$direct' : `https://www.example.org/search?q=${hex(12)}`,
        $device_id: `${hex(8)}-${hex(16)}`,
        $session_id: `${hex(8)}-${hex(4)}-${hex(16)}`,
        $window_id: `${hex(8)}-${hex(4)}-${hex(16)}`,
        $screen_width: width,
        $screen_height: Math.floor(width * 0.6),
        $viewport_width: width - below(100),
        $lib: 'web',
        $lib_version: `1.${below(200)}.${below(10)}`,
        $insert_id: hex(16),
        $time: (START + i) / 1000,
        // People stay in their city, or each of their events would change the person.
        $geoip_city_name: CITIES[Number.parseInt(distinctId.slice(0, 8), 16) % CITIES.length],
        $geoip_latitude: Math.round(random() * 1e4) / 100,
        $geoip_longitude: Math.round(random() * 1e4) / 100,
        $active_feature_flags: ['new-navigation', 'beta-charts'].slice(below(3)),
        title: `Example — ${pathname}`,
        token: 'phc_exampleexampleexampleexample',
        duration_ms: Math.round(random() * 1e6) / 1000,
      },
    };
  }
}

/** Tommy Ettinger’s Mulberry32: small, seeded, well spread. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
