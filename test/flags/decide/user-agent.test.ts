import assert from 'node:assert/strict';
import { agentOf } from '../../../src/flags/decide/user-agent.ts';

const BOTS = [
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'GOOGLEBOT/2.1',
  'Googlebot-Image/1.0',
  'AdsBot-Google (+http://www.google.com/adsbot.html)',
  'Mozilla/5.0 (compatible; GoogleOther)',
  'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
  'DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)',
  'Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)',
  'Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)',
  'Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.0; +https://openai.com/gptbot)',
  'Mozilla/5.0 (compatible; Bytespider; spider-feedback@bytedance.com)',
  'Better Uptime Bot Manifest/1.0',
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'Twitterbot/1.0',
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'WhatsApp/2.23.20.0',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/98.0 Safari/537.36 Chrome-Lighthouse',
];

const PEOPLE = [
  'Mozilla/5.0',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64)',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:120.0) Gecko/20100101 Firefox/120.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.2 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 11; CUBOT X30) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/96.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Linux; Android 10; K; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/120.0 Mobile Safari/537.36',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/120.0.0.0 Safari/537.36',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) AcmeMonitor/2.1.0 Chrome/120.0.0.0 Electron/28 Safari/537.36',
  'Mozilla/5.0 (Linux; Android 13; Pixel 7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/116 Mobile Safari/537.36 Google Pixel',
];

const SERVERS = ['python', 'ruby', 'php', 'java', 'server', 'go', 'node', 'dotnet', 'elixir', 'rs'];
const CLIENTS = ['js', 'android', 'ios', 'react-native', 'flutter'];
const PROGRAMS = [
  'node',
  'undici',
  'Go-http-client/1.1',
  'Java-http-client/17',
  'Google-HTTP-Java-Client/1.43.3 (gzip)',
  'okhttp/4.9',
  'Ruby',
  'PHP',
  'acme-server/1',
  'acme-preview/2 (+https://acme.example)',
];

describe('a User-Agent', () => {
  it('of a bot is known as one', () => {
    for (const text of BOTS) assert.equal(agentOf(text).isBot, true, text);
  });

  it('of a browser is that of a client', () => {
    for (const text of PEOPLE) assert.deepEqual(agentOf(text), { runtime: 'client', isBot: false }, text);
  });

  it('of an SDK says on which side it runs', () => {
    for (const name of SERVERS) {
      assert.deepEqual(agentOf(`posthog-${name}/1.2.3 (Linux)`), { runtime: 'server', isBot: false }, name);
    }
    for (const name of CLIENTS) {
      assert.deepEqual(agentOf(`posthog-${name}/1.2.3`), { runtime: 'client', isBot: false }, name);
    }
    for (const text of ['curl/8.0', 'python-requests/2.31']) assert.equal(agentOf(text).runtime, 'server');
  });

  it('of any other program says nothing, not that it is a bot', () => {
    for (const text of [...PROGRAMS, undefined, '', 'x'.repeat(16_000)]) {
      assert.deepEqual(agentOf(text), { runtime: 'unknown', isBot: false }, text);
    }
  });
});
