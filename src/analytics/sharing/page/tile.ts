/** A tile of a shared dashboard, and an insight that is shared on its own. */
import { h, type ComponentChild } from 'preact';
import { chartOf } from '../charts/chart.ts';
import { drawnAs } from '../charts/drawn-as.ts';
import { LINK_ATTRIBUTES, safeLink } from '../charts/links.ts';
import { markdownToHtml } from '../charts/markdown.ts';
import type { SharedInsight, SharedTile } from '../reduced.ts';
import type { ShareSettings } from '../settings.ts';

export function tile(sharedTile: SharedTile, settings: ShareSettings): ComponentChild {
  const colour = sharedTile.color === null ? '' : ` tile-${sharedTile.color}`;
  const background = sharedTile.transparent_background ? ' tile-clear' : '';
  return h(
    'article',
    { id: `t${sharedTile.id}`, class: `tile${colour}${background}` },
    sharedTile.text && text(sharedTile.text.body ?? ''),
    sharedTile.button_tile && button(sharedTile.button_tile),
    sharedTile.insight && insight(sharedTile.insight, settings),
  );
}

export function insight(sharedInsight: SharedInsight, settings: ShareSettings): ComponentChild {
  const name = sharedInsight.name || sharedInsight.derived_name || 'Untitled';
  return h(
    'div',
    { class: 'insight' },
    h('h2', null, name),
    sharedInsight.description !== '' && h('p', { class: 'description' }, sharedInsight.description),
    sharedInsight.error
      ? h('p', { class: 'failed' }, sharedInsight.error.message)
      : drawInsight(sharedInsight, name, settings),
    sharedInsight.last_refresh !== null &&
      h('p', { class: 'quiet as-of' }, 'As of ', instant(sharedInsight.last_refresh)),
  );
}

function drawInsight(sharedInsight: SharedInsight, name: string, settings: ShareSettings): ComponentChild {
  if (!Array.isArray(sharedInsight.result)) return h('p', { class: 'quiet' }, 'There is nothing to show yet.');
  const chart = chartOf(
    {
      name,
      ...drawnAs(sharedInsight.query),
      rows: sharedInsight.result,
      columns: sharedInsight.columns ?? [],
      hasMore: sharedInsight.hasMore,
      timezone: sharedInsight.timezone ?? 'UTC',
    },
    { legend: settings.legend === true },
  );
  const numbers =
    chart.numbers !== null &&
    settings.hideExtraDetails !== true &&
    h('details', { open: settings.detailed === true }, h('summary', null, 'Numbers'), chart.numbers);
  return [chart.picture, chart.legend, numbers];
}

function text(body: string): ComponentChild {
  return h('div', { class: 'markdown', dangerouslySetInnerHTML: { __html: markdownToHtml(body) } });
}

/** A button without a safe link is drawn as text. */
function button({ url, text: words, style, placement }: NonNullable<SharedTile['button_tile']>): ComponentChild {
  const href = safeLink(url);
  const look = `button ${style === 'primary' ? 'primary' : 'secondary'}`;
  const element =
    href === undefined ? h('span', { class: look }, words) : h('a', { class: look, href, ...LINK_ATTRIBUTES }, words);
  return h('p', { class: placement === 'right' ? 'to-the-right' : '' }, element);
}

/** Shows an instant in UTC, because viewers may be anywhere. */
export function instant(iso: string): ComponentChild {
  return h('time', { dateTime: iso }, `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`);
}
