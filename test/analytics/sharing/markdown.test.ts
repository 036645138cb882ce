/** Texts and addresses that people typed become harmless HTML. */
import assert from 'node:assert/strict';
import { safeLink } from '../../../src/analytics/sharing/charts/links.ts';
import { markdownToHtml } from '../../../src/analytics/sharing/charts/markdown.ts';
import { leastProcessorMs } from '../../support/durations.ts';

const LINK = 'rel="noopener noreferrer nofollow" target="_blank"';

describe('typed text', () => {
  const texts: [string, string][] = [
    ['# Big\n\n*thin* **thick**', '<h3>Big</h3>\n<p><em>thin</em> <strong>thick</strong></p>\n'],
    ['<b onclick=x>a</b>', '<p>&lt;b onclick=x&gt;a&lt;/b&gt;</p>\n'],
    ['[a](https://a.example "t")', `<p><a href="https://a.example" title="t" ${LINK}>a</a></p>\n`],
    ['see https://a.example', `<p>see <a href="https://a.example" ${LINK}>https://a.example</a></p>\n`],
    ['[a](javascript:alert(1))', '<p>[a](javascript:alert(1))</p>\n'],
    ['[a](JaVaScRiPt&#58;alert(1))', '<p>[a](JaVaScRiPt:alert(1))</p>\n'],
    ['[a](//evil.example)', '<p>[a](//evil.example)</p>\n'],
    ['![a](https://a.example/b.png)', `<p>!<a href="https://a.example/b.png" ${LINK}>a</a></p>\n`],
  ];
  for (const [text, html] of texts) it(`as Markdown: ${text}`, () => assert.equal(markdownToHtml(text), html));

  it('as Markdown a thousand levels deep, in no time', async () => {
    const took = await leastProcessorMs(1_000, () => {
      for (const text of ['> ', '- ', '[', '*', '|a']) markdownToHtml(text.repeat(4_000 / text.length));
    });
    assert(took < 1_000, `${took} ms`);
  });

  const addresses: [string, boolean][] = [
    ['https://a.example/b?c=d#e', true],
    ['http://a.example', true],
    ['mailto:a@b.example', true],
    ['/insights/1?a=b', true],
    ['//evil.example', false],
    ['/\\evil.example', false],
    ['/\t/evil.example', false],
    ['javascript:alert(1)', false],
    ['java\nscript:alert(1)', false],
    [' javascript:alert(1)', false],
    ['data:text/html,a', false],
    ['vbscript:a', false],
    ['file:///etc/passwd', false],
    ['a.example', false],
    ['', false],
  ];
  for (const [address, isSafe] of addresses) {
    it(`as an address: ${JSON.stringify(address)} ${isSafe ? 'leads there' : 'leads nowhere'}`, () => {
      assert.equal(safeLink(address), isSafe ? address : undefined);
    });
  }
});
