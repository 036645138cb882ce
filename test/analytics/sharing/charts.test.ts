/** Charts of the shared page as people see them, without a browser. */
import assert from 'node:assert/strict';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { chartOf, type ChartedInsight } from '../../../src/analytics/sharing/charts/chart.ts';
import { gridRules } from '../../../src/analytics/sharing/page/grid.ts';

const NOTHING = /There are no events in this period\./;

const html = (part: unknown) => renderToString(h('div', null, part as string));

function draw(drawn: Partial<ChartedInsight>): { picture: string; numbers: string; legend: string } {
  const given = { name: 'Chart', kind: 'TrendsQuery', display: '', rows: [], columns: [], hasMore: false };
  const chart = chartOf({ ...given, timezone: 'Europe/Berlin', ...drawn }, { legend: true });
  return { picture: html(chart.picture), numbers: html(chart.numbers), legend: html(chart.legend) };
}

const hours = Array.from({ length: 24 }, (_, hour) => `2-Jun ${String(hour).padStart(2, '0')}:00`);
const line = (label: string, value: number) => ({
  label,
  labels: hours,
  data: hours.map(() => value),
  count: 24 * value,
});
const dated = (compare_label: string, month: string, data: number[]) => ({
  label: 'Visits',
  labels: data.map((_, n) => `${n + 1}-${month}-2025`),
  data,
  count: 9,
  compare_label,
});
const total = (label: string, aggregated_value: number, compare_label: string) => {
  return { label, labels: [], data: [], count: 0, aggregated_value, compare_label };
};
const cohort = (date: string, counts: number[], period = 'Day') => ({
  label: `${period} 0`,
  date,
  values: counts.map((count, n) => ({ count, label: `${period} ${n}` })),
});

const person = (properties: object) => ({ uuid: 'x', distinct_id: 'visitor-7', properties });
const at = (y: number) => ({ sm: { x: 0, y, w: 12, h: 6 } });

describe('a chart of a shared page', () => {
  it('has few labels below it, at equal distances, and half of them where there is little room', () => {
    const axis = /<svg class="x-axis".*?<\/svg>/s.exec(draw({ rows: [line('Visits', 1)] }).picture)![0];
    const labels = [...axis.matchAll(/<text ([^>]*)>([^<]*)/g)].map(
      ([, attributes, text]) => [attributes, text] as const,
    );
    assert.deepEqual(
      labels.map(([, text]) => text),
      [0, 4, 8, 12, 16, 20].map((hour) => `2 Jun ${String(hour).padStart(2, '0')}:00`),
    );
    assert.deepEqual(
      new Set(labels.map(([attributes]) => /text-anchor="(\w+)"/.exec(attributes!)?.[1])),
      new Set(['middle']),
    );
    assert.equal(labels.filter(([attributes]) => attributes!.includes('class="between"')).length, 3);
  });

  for (const display of ['', 'ActionsBar', 'ActionsAreaGraph', 'ActionsPie', 'ActionsBarValue']) {
    it(`says where there is nothing to draw: ${display || 'lines'}`, () => {
      const { picture } = draw({ display, rows: [line('Visits', 0), line('Orders', 0)] });
      assert.match(picture, NOTHING);
      assert.doesNotMatch(picture, /<svg/);
    });
  }

  it('is a number where nothing happened, too', () => {
    const rows = [{ label: 'Visits', labels: [], data: [], count: 0, aggregated_value: 0 }];
    assert.match(draw({ display: 'BoldNumber', rows }).picture, />0</);
  });

  for (const [now, before, says] of [
    [46, 32, '32 before, +43.8%'],
    [24, 32, '32 before, −25%'],
    [32, 32, '32 before, unchanged'],
    [46, 0, '0 before'],
    [0, 0, '0 before'],
    [3, -2, '-2 before'],
  ] as const) {
    it(`shows a number's earlier value: ${says}`, () => {
      const rows = [
        total('Visits', now, 'current'),
        total('Orders', 7, 'current'),
        total('Orders', 9, 'previous'),
        total('Visits', before, 'previous'),
      ];
      const { picture } = draw({ display: 'BoldNumber', rows });
      assert.deepEqual(
        [...picture.matchAll(/<p[^>]*>([^<]*)</g)].map(([, text]) => text),
        [String(now), says],
      );
    });
  }

  it('draws as many series as it has colours, and has the others in its numbers', () => {
    const rows = Array.from({ length: 12 }, (_, n) => line(`Series ${n}`, 1));
    const { picture, legend, numbers } = draw({ rows });
    const colours = [...picture.matchAll(/<g class="(s\d+)"/g)].map(([, colour]) => colour);
    assert.deepEqual([colours.length, new Set(colours).size], [10, 10]);
    assert.match(legend, /and 2 more/);
    assert.match(numbers, /Series 11/);
  });

  it('lays what happened before beside what happens now, under its own dates', () => {
    for (const display of ['', 'ActionsBar', 'ActionsAreaGraph']) {
      const rows = [dated('current', 'Jun', [1, 3, 4]), dated('previous', 'May', [2, 7, 5, 6])];
      const { picture, legend, numbers } = draw({ display, rows });
      assert.match(picture, /Visits, 2-Jun-2025: 3<.*Visits \(before\), 2-May-2025: 7</s);
      assert.doesNotMatch(picture, /4-May/);
      assert.match(legend, /Visits<.*Visits \(before\)</s);
      assert.match(numbers, /<td>2-Jun-2025<\/td><td class="number">3<\/td><td class="number">7<\/td>/);
      const bars = [...picture.matchAll(/<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"/g)].map(([, x]) => Number(x));
      assert.equal(new Set(bars).size, bars.length);
    }
    const shorter = [dated('current', 'Jun', [1, 3]), dated('previous', 'May', [2])];
    assert.match(draw({ rows: shorter }).numbers, /<td>2-Jun-2025<\/td><td class="number">3<\/td><td>–<\/td>/);
  });

  it('goes below zero where numbers do', () => {
    const losses = { ...line('Gain', 0), data: [10, 0, -10], labels: hours.slice(0, 3), count: 0 };
    assert.match(draw({ rows: [losses] }).picture, /d="M0,0L500,500L1000,1000"/);
    for (const display of ['ActionsBar', 'ActionsUnstackedBar']) {
      const { picture } = draw({ display, rows: [losses, line('Visits', 1)] });
      const bars = [...picture.matchAll(/y="(\d+)" width="[\d.]+" height="(\d+)"/g)].map(([, y, height]) => [
        y,
        height,
      ]);
      assert.deepEqual(
        [bars[0], bars[2]],
        [
          ['0', '500'],
          ['500', '500'],
        ],
      );
    }
    const axis = /<svg class="y-axis".*?<\/svg>/s.exec(draw({ rows: [losses] }).picture)![0];
    assert.deepEqual(
      [...axis.matchAll(/y="([\d.]+)%".*?>([^<]*)</g)].map(([, y, text]) => [y, text]),
      [
        ['100', '-10'],
        ['75', '-5'],
        ['50', '0'],
        ['25', '5'],
        ['0', '10'],
      ],
    );
  });

  it('names persons of events, not what their objects hold', () => {
    const rows = [[person({ name: 'Ada', email: 'ada@example.com' })], [person({ email: 'ada@example.com' })]];
    const { picture } = draw({ kind: 'EventsQuery', columns: ['person'], rows });
    assert.match(picture, /<td>Ada<\/td>.*<td>visitor-7<\/td>/s);
    assert.doesNotMatch(picture, /ada@example/);
    const event = { event: 'paid', distinct_id: 'visitor-7', properties: {} };
    assert.match(draw({ kind: 'EventsQuery', columns: ['*'], rows: [[event]] }).picture, /paid/);
  });

  it('shows when cohorts began, by the clock of the project, and leaves the shares of empty cohorts empty', () => {
    const rows = [cohort('2025-06-01T22:00:00Z', [4, 2]), cohort('2025-06-02T22:00:00Z', [0])];
    const { picture } = draw({ kind: 'RetentionQuery', rows });
    assert.match(picture, /<th scope="row">2 Jun 2025<\/th>.*>50%<.*<th scope="row">3 Jun 2025<\/th>/s);
    assert.doesNotMatch(picture, /–/);
    const hourly = draw({ kind: 'RetentionQuery', rows: [cohort('2025-06-01T22:00:00Z', [4], 'Hour')] });
    assert.match(hourly.picture, /2 Jun 2025, 00:00/);
  });

  it('is printed in small letters where it is wide', () => {
    const columns = Array.from({ length: 9 }, (_, n) => `c${n}`);
    assert.match(draw({ kind: 'EventsQuery', columns, rows: [columns] }).picture, /<table class="wide">/);
    assert.match(draw({ kind: 'EventsQuery', columns: ['event'], rows: [['x']] }).picture, /<table>/);
  });
});

it('a table without rows takes little room, and what is below it moves up', () => {
  const rules = gridRules([
    { id: 1, layouts: at(0), insight: { result: [] } },
    { id: 2, layouts: at(6), insight: { result: [['paid']] } },
  ]);
  assert.equal(rules, '#t1{grid-area:1/1/span 2/span 12}#t2{grid-area:3/1/span 6/span 12}');
});
