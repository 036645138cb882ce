/** The pages that strangers get: the shared object, the form for its password, and the page of a link that does not exist. */
import { h, type ComponentChild } from 'preact';
import type { ExportedPage } from '../exported.ts';
import type { ShareSettings } from '../settings.ts';
import { documentOf, type Page } from './document.ts';
import { gridRules } from './grid.ts';
import { insight, tile } from './tile.ts';

export function sharedPage(content: ExportedPage): Page {
  const { dashboard, insight: singleInsight, ...settings } = content;
  const title = (dashboard ? dashboard.name : singleInsight?.name) || 'Untitled';
  const tiles = dashboard?.tiles ?? [];
  const body = [
    dashboard && !settings.noHeader && header(title, dashboard.description),
    h(
      'main',
      { class: singleInsight ? 'alone' : 'tiles' },
      // Where the header is left out, screen readers still hear which page this is.
      (singleInsight || settings.noHeader) && h('h1', { class: 'unseen' }, title),
      tiles.map((seenTile) => tile(seenTile, settings)),
      singleInsight && h('article', { class: 'tile' }, insight(singleInsight, settings)),
      dashboard && tiles.length === 0 && h('p', { class: 'quiet' }, 'This dashboard has no tiles yet.'),
    ),
    !settings.whitelabel && h('footer', { class: 'quiet' }, 'Made with Sluice'),
  ];
  return pageOf(title, body, settings, { rules: gridRules(tiles) });
}

/** @param problem with the password that was typed before */
export function unlockPage({ theme }: ShareSettings, problem?: string): Page {
  const body = h(
    'main',
    { class: 'unlock' },
    h('h1', null, 'This page takes a password'),
    h(
      'form',
      { method: 'post' },
      h('label', { for: 'password' }, 'Password'),
      h('input', {
        id: 'password',
        name: 'password',
        type: 'password',
        autocomplete: 'current-password',
        required: true,
        autofocus: true,
        'aria-describedby': problem === undefined ? undefined : 'problem',
      }),
      problem !== undefined && h('p', { id: 'problem', class: 'failed', role: 'alert' }, problem),
      h('button', { type: 'submit', class: 'button primary' }, 'Open'),
    ),
  );
  return pageOf('Password', body, { theme }, { takesForms: true });
}

/** The same page for every kind of invalid link. */
export const missingPage: Page = pageOf(
  'Not found',
  h(
    'main',
    { class: 'unlock' },
    h('h1', null, 'There is no such page'),
    h('p', null, 'The link may have been ended, or cut short.'),
  ),
  {},
);

function header(title: string, description: string): ComponentChild {
  return h('header', null, h('h1', null, title), description !== '' && h('p', { class: 'description' }, description));
}

function pageOf(
  title: string,
  body: ComponentChild,
  { theme }: { theme?: ShareSettings['theme'] | undefined },
  options: { rules?: string; takesForms?: boolean } = {},
): Page {
  return documentOf({ title, body, theme: theme ?? 'system', ...options });
}
