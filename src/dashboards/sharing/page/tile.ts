/** A tile of a shared dashboard, and an insight that is shared by itself. */
import { h, type ComponentChild } from 'preact';
import type { InsightBody } from '../../insights/schema.ts';
import type { TileBody } from '../../tiles/schema.ts';
import { chartOf } from '../charts/chart.ts';
import { innermost } from '../reduced.ts';
import type { ShareSettings } from '../settings.ts';
import { LINK_ATTRIBUTES, safeLink } from './links.ts';
import { markdownToHtml } from './markdown.ts';

/** Colours that tiles may have; others look like none. */
const COLOURS = ['white', 'black', 'blue', 'green', 'purple', 'red', 'yellow'];

export function tile(one: TileBody, settings: ShareSettings): ComponentChild {
  const colour = COLOURS.includes(one.color ?? '') ? ` tile-${one.color}` : '';
  const background = one.transparent_background ? ' tile-clear' : '';
  return h(
    'article',
    { id: `t${one.id}`, class: `tile${colour}${background}` },
    one.text && text(one.text.body ?? ''),
    one.button_tile && button(one.button_tile),
    one.insight &&
      'query' in one.insight &&
      insight(one.insight, settings, { describes: one.show_description !== false }),
  );
}

export function insight(
  one: InsightBody,
  settings: ShareSettings,
  { describes }: { describes: boolean },
): ComponentChild {
  const name = one.name || one.derived_name || 'Untitled';
  const isPlain = settings.hideExtraDetails === true;
  return h(
    'div',
    { class: 'insight' },
    h('h2', null, name),
    describes && !isPlain && one.description !== '' && h('p', { class: 'description' }, one.description),
    one.error ? h('p', { class: 'failed' }, one.error.message) : drawn(one, name, settings),
    !isPlain && one.last_refresh !== null && h('p', { class: 'quiet as-of' }, 'As of ', instant(one.last_refresh)),
  );
}

function drawn(one: InsightBody, name: string, settings: ShareSettings): ComponentChild {
  if (!one.query || !Array.isArray(one.result)) return h('p', { class: 'quiet' }, 'There is nothing to show yet.');
  const { kind, trendsFilter } = innermost(one.query);
  const chart = chartOf(
    {
      name,
      kind: wordOf(kind),
      display: wordOf(trendsFilter?.display),
      rows: one.result,
      columns: one.columns ?? [],
      hasMore: one.hasMore,
      timezone: one.timezone ?? 'UTC',
    },
    { legend: settings.legend === true },
  );
  const numbers =
    chart.numbers !== null &&
    settings.hideExtraDetails !== true &&
    h('details', { open: settings.detailed === true }, h('summary', null, 'Numbers'), chart.numbers);
  return [chart.picture, chart.legend, numbers];
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function text(body: string): ComponentChild {
  return h('div', { class: 'markdown', dangerouslySetInnerHTML: { __html: markdownToHtml(body) } });
}

/** One that leads nowhere that is safe is only its text. */
function button({ url, text: words, style, placement }: NonNullable<TileBody['button_tile']>): ComponentChild {
  const href = safeLink(url);
  const look = `button ${style === 'primary' ? 'primary' : 'secondary'}`;
  const shown =
    href === undefined ? h('span', { class: look }, words) : h('a', { class: look, href, ...LINK_ATTRIBUTES }, words);
  return h('p', { class: placement === 'right' ? 'to-the-right' : '' }, shown);
}

/** In UTC: who looks may be anywhere. */
export function instant(iso: string): ComponentChild {
  return h('time', { dateTime: iso }, `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`);
}
