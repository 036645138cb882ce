import assert from 'node:assert/strict';
import { htmlFault } from '../../../../src/flags/extensions/surveys/html.ts';
import { leastProcessorMs } from '../../../support/durations.ts';

describe('HTML in the texts of a survey', () => {
  for (const text of [
    '',
    'How do you like it?',
    'I <3 it: 1 < 2, 2 > 1 && 4 <= 5',
    '<b>Bold</b>, <i lang="de">kursiv</i><br/>and<br>so on',
    '<a href="https://example.com/?a=1&b=2" target="_blank" rel="noopener">here</a>',
    "<A HREF='mailto:ada@example.com'>write</A>",
    '<img src="https://example.com/cat.png" alt="a cat" width="10">',
    '<p style="color: red">red</p><ul><li>one</li></ul>',
    '&lt;script&gt;',
  ]) {
    it(`may be ${JSON.stringify(text)}`, () => assert.equal(htmlFault(text), undefined));
  }

  for (const text of [
    '<script>alert(1)</script>',
    '<ScRiPt src="https://example.com/x.js">',
    '<b onclick="alert(1)">b</b>',
    '<img src=x onerror=alert(1)>',
    '<img/src="https://example.com/x.png"/onerror="alert(1)">',
    '<a href="javascript:alert(1)">a</a>',
    '<a href=" javascript:alert(1)">a</a>',
    '<a href="java&#115;cript:alert(1)">a</a>',
    '<a href="data:text/html,x">a</a>',
    '<a href>a</a>',
    '<a href="/relative">a</a>',
    '<a href="//example.com">a</a>',
    '<b data-x="1">b</b>',
    '</script>',
    '<iframe src="https://example.com"></iframe>',
    '<svg/onload=alert(1)>',
    '<svg><animate onbegin=alert(1)>',
    '<math><mtext></mtext></math>',
    '<form action="https://example.com"><input></form>',
    '<b title="<script>">b</b>',
    '<b title="unclosed>b</b>',
    '<!-- a comment --><b>b</b>',
    '<!doctype html>',
    '<?xml ?>',
    '<b',
    '</',
    'List<String>',
    '<b\u0000>',
    '<x-custom>',
  ]) {
    it(`may not be ${JSON.stringify(text)}`, () => assert.match(htmlFault(text) ?? '', /./));
  }

  it('is read in linear time', async () => {
    const took = await leastProcessorMs(500, () => {
      for (const hostile of ['<a ', '<a title', '<a title="', '< ', '<b x="', '</', ' a="b"'])
        htmlFault(`<a ${hostile.repeat(20_000)}`);
    });
    assert.ok(took < 500, `${took} ms`);
  });
});
